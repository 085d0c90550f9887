// A static local variable is initialised by the first thread that comes to it; others wait until that is done
// ([stmt.dcl]/3), and see what it did.  Who reads the data without coming to the variable is ordered by nothing.
#include <thread>

constexpr bool COMES = true;

int data, seen;

int made() {
    data = 1;
    return 5;
}

int get() {
    static int one = made();
    return one;
}

int main() {
    std::thread other([] { seen = get(); });
    if (COMES)
        get();
    int read = data;
    other.join();
}

//@ vary COMES in {true, false};
//@ expect race_free when COMES;
//@ expect required seen == 5 && main.read == 1 when COMES;
//@ expect race on data when !COMES;
//@ expect terminates;
