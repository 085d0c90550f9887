// The opposite of Execution.Model.Device.4: a loop that ends promises nothing and needs nothing.
constexpr bool BOUNDED = true;

__global__ void ex4() {
    for (int i = 0; !BOUNDED || i < 3; i += BOUNDED ? 1 : 0) { /* empty */ }
}

//@ launch ex4<<<1, 1>>>();
//@ vary BOUNDED in {true, false};
//@ expect terminates when BOUNDED;
//@ expect may_hang when !BOUNDED;
//@ expect may_stall when !BOUNDED;
