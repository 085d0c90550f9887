// Objects that a compiler makes: the temporary that a reference is bound to, a static member in a class, where a virtual
// base is.  What comes behind them is followed: with OTHER the second thread writes what the first does.
#include <thread>

constexpr bool OTHER = false;

int made() { return 5; }
const int& bound = made();

struct Count {
    static inline int of = 3;
};

struct Base {
    int number;
    Base() : number(1) {}
    virtual int value() { return number; }
};

struct Derived : virtual Base {
    int more;
    Derived() : more(2) {}
    int value() override { return number + more; }
};

int shared;

int main() {
    std::thread other([] { if (OTHER) shared = 1; });
    Derived object;
    Base& base = object;
    base.number = 4;
    Count::of = Count::of + bound + base.value();
    int result = Count::of;
    shared = result;
    other.join();
}

//@ vary OTHER in {false, true};
//@ expect race_free when !OTHER;
//@ expect required main.result == 14 when !OTHER;
//@ expect race on shared when OTHER;
//@ expect terminates;
