// Elements that stay where they are while others come and go: what <list>, <deque>, <map>, <set> and their unordered kin are
// made of.  Each operation takes as many steps as there are elements; the order of the unordered ones, which the standard
// leaves open, is that of insertion.  They are the memory of the thread that inserts them.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <scopec/new.h>
#include <utility>
SCOPEC_SHIM_BEGIN
namespace __scopec {

struct link {
    link *before, *after;
};
template <class __T> struct node : link {
    __T item;
    template <class... __A> node(__A&&... arguments) : item(forward<__A>(arguments)...) {}
};

template <class __T, class __R> class chain_iterator {
  public:
    using value_type = __T;
    using difference_type = ptrdiff_t;
    using pointer = __R*;
    using reference = __R&;
    using iterator_category = bidirectional_iterator_tag;
    chain_iterator(link* at = nullptr) noexcept : __scopec_at(at) {}
    operator chain_iterator<__T, const __T>() const noexcept { return __scopec_at; }
    __R& operator*() const { return static_cast<node<__T>*>(__scopec_at)->item; }
    __R* operator->() const { return &**this; }
    chain_iterator& operator++() {
        __scopec_at = __scopec_at->after;
        return *this;
    }
    chain_iterator& operator--() {
        __scopec_at = __scopec_at->before;
        return *this;
    }
    chain_iterator operator++(int) { return exchange(__scopec_at, __scopec_at->after); }
    chain_iterator operator--(int) { return exchange(__scopec_at, __scopec_at->before); }
    template <class __O> bool operator==(const chain_iterator<__T, __O>& other) const { return __scopec_at == other.__scopec_at; }
    template <class __O> bool operator!=(const chain_iterator<__T, __O>& other) const { return __scopec_at != other.__scopec_at; }

    link* __scopec_at;
};

template <class __T> class chain {
  public:
    using value_type = __T;
    using size_type = size_t;
    using reference = __T&;
    using const_reference = const __T&;
    using iterator = chain_iterator<__T, __T>;
    using const_iterator = chain_iterator<__T, const __T>;
    chain() : __scopec_ends(new (__scopec_handles(2)) link) {
        __scopec_ends->before = __scopec_ends->after = __scopec_ends;
    }
    chain(std::initializer_list<__T> items) : chain(items.begin(), items.end()) {}
    template <class __I, class = enable_if_t<!__is_integral(__I)>> chain(__I first, __I last) : chain() {
        for (; first != last; ++first) emplace(end(), *first);
    }
    chain(const chain& other) : chain(other.begin(), other.end()) {}
    chain(chain&& other) : chain() { swap(other); }
    ~chain() { clear(); }
    chain& operator=(chain other) {
        swap(other);
        return *this;
    }
    void swap(chain& other) noexcept {
        __scopec::swap(__scopec_ends, other.__scopec_ends);
        __scopec::swap(__scopec_size, other.__scopec_size);
    }
    iterator begin() noexcept { return __scopec_ends->after; }
    iterator end() noexcept { return __scopec_ends; }
    const_iterator begin() const noexcept { return __scopec_ends->after; }
    const_iterator end() const noexcept { return __scopec_ends; }
    const_iterator cbegin() const noexcept { return begin(); }
    const_iterator cend() const noexcept { return end(); }
    size_t size() const noexcept { return __scopec_size; }
    bool empty() const noexcept { return __scopec_size == 0; }
    void clear() noexcept { erase(begin(), end()); }
    template <class... __A> iterator emplace(const_iterator at, __A&&... arguments) {
        link* made = new (__scopec_handles((sizeof(node<__T>) + 7) / 8)) node<__T>(forward<__A>(arguments)...);
        made->after = at.__scopec_at;
        made->before = at.__scopec_at->before;
        made->before->after = made->after->before = made;
        ++__scopec_size;
        return made;
    }
    iterator erase(const_iterator at) {
        link *gone = at.__scopec_at, *after = gone->after;
        gone->before->after = after;
        after->before = gone->before;
        --__scopec_size;
        static_cast<node<__T>*>(gone)->item.~__T();
        return after;
    }
    iterator erase(const_iterator first, const_iterator last) {
        while (first != last) first = erase(first);
        return last.__scopec_at;
    }

  private:
    // Before the first and behind the last element, with no room for one: what reads it as an element is told so.
    link* __scopec_ends;
    size_t __scopec_size = 0;
};

// Both ends, and places counted from the first: <list> and <deque>.
template <class __T> class sequence : public chain<__T> {
    using __Chain = chain<__T>;

  public:
    using typename __Chain::const_iterator;
    using typename __Chain::iterator;
    using __Chain::__Chain;
    using __Chain::begin, __Chain::end, __Chain::emplace, __Chain::erase, __Chain::size;
    sequence() = default;
    explicit sequence(size_t count, const __T& item = __T()) { resize(count, item); }
    void resize(size_t count, const __T& item = __T()) {
        while (size() < count) push_back(item);
        while (size() > count) pop_back();
    }
    void assign(size_t count, const __T& item) {
        this->clear();
        resize(count, item);
    }
    iterator insert(const_iterator at, const __T& item) { return emplace(at, item); }
    template <class... __A> __T& emplace_back(__A&&... arguments) { return *emplace(end(), forward<__A>(arguments)...); }
    template <class... __A> __T& emplace_front(__A&&... arguments) { return *emplace(begin(), forward<__A>(arguments)...); }
    void push_back(const __T& item) { emplace(end(), item); }
    void push_back(__T&& item) { emplace(end(), move(item)); }
    void push_front(const __T& item) { emplace(begin(), item); }
    void push_front(__T&& item) { emplace(begin(), move(item)); }
    void pop_back() { erase(--end()); }
    void pop_front() { erase(begin()); }
    __T& front() { return *begin(); }
    __T& back() { return *--end(); }
    const __T& front() const { return *begin(); }
    const __T& back() const { return *--end(); }
};

// Elements by their keys, by two orders or by equality: __Same tells whether an element is where a key belongs.
template <class __T> const __T& key_of(const __T& item) { return item; }
template <class __K, class __T> const __K& key_of(const pair<const __K, __T>& item) { return item.first; }

template <class __K, class __T, class __C, bool __ORDERED, bool __MANY> class keyed : public chain<__T> {
    using __Chain = chain<__T>;

  public:
    using key_type = __K;
    using typename __Chain::const_iterator;
    using typename __Chain::iterator;
    using __Chain::begin, __Chain::end, __Chain::erase;
    keyed() = default;
    keyed(std::initializer_list<__T> items) : keyed(items.begin(), items.end()) {}
    template <class __I> keyed(__I first, __I last) { insert(first, last); }
    iterator find(const __K& key) { return same(lower(key), key); }
    const_iterator find(const __K& key) const { return const_cast<keyed*>(this)->find(key); }
    bool contains(const __K& key) const { return find(key) != end(); }
    size_t count(const __K& key) const {
        size_t found = 0;
        for (const __T& item : *this) found += equal(key_of(item), key);
        return found;
    }
    iterator lower_bound(const __K& key) { return lower(key); }
    iterator upper_bound(const __K& key) {
        iterator at = lower(key);
        while (at != end() && equal(key_of(*at), key)) ++at;
        return at;
    }
    auto insert(const __T& item) { return emplace(item); }
    auto insert(__T&& item) { return emplace(move(item)); }
    iterator insert(const_iterator, const __T& item) { return place(emplace(item)); }
    template <class __I> void insert(__I first, __I last) {
        for (; first != last; ++first) emplace(*first);
    }
    template <class... __A> auto emplace(__A&&... arguments) {
        __T item(forward<__A>(arguments)...);
        iterator at = __MANY ? upper_bound(key_of(item)) : lower(key_of(item));
        if constexpr (__MANY) return __Chain::emplace(at, move(item));
        else if (at != end() && equal(key_of(*at), key_of(item))) return pair<iterator, bool>(at, false);
        else return pair<iterator, bool>(__Chain::emplace(at, move(item)), true);
    }
    template <class... __A> auto try_emplace(const __K& key, __A&&... arguments) {
        iterator at = lower(key);
        if (at != end() && equal(key_of(*at), key)) return pair<iterator, bool>(at, false);
        return pair<iterator, bool>(__Chain::emplace(at, key, decltype(at->second)(forward<__A>(arguments)...)), true);
    }
    size_t erase(const __K& key) {
        size_t gone = 0;
        for (iterator at = find(key); at != end() && equal(key_of(*at), key); ++gone) at = __Chain::erase(at);
        return gone;
    }

  protected:
    static iterator place(iterator at) { return at; }
    static iterator place(const pair<iterator, bool>& at) { return at.first; }
    static bool equal(const __K& a, const __K& b) {
        if constexpr (__ORDERED) return !__C()(a, b) && !__C()(b, a);
        else return __C()(a, b);
    }
    // The first element that a key does not come behind; of the unordered ones, the first that has the key.
    iterator lower(const __K& key) {
        iterator at = begin();
        if constexpr (__ORDERED)
            while (at != end() && __C()(key_of(*at), key)) ++at;
        else
            while (at != end() && !__C()(key_of(*at), key)) ++at;
        return at;
    }
    iterator same(iterator at, const __K& key) { return at != end() && equal(key_of(*at), key) ? at : end(); }
};

// What maps have above sets: a value by its key.
template <class __K, class __V, class __C, bool __ORDERED> struct mapped : keyed<__K, pair<const __K, __V>, __C, __ORDERED, false> {
    using __Keyed = keyed<__K, pair<const __K, __V>, __C, __ORDERED, false>;
    using mapped_type = __V;
    using __Keyed::__Keyed;
    __V& operator[](const __K& key) { return this->try_emplace(key).first->second; }
    __V& at(const __K& key) { return this->find(key)->second; }
    const __V& at(const __K& key) const { return this->find(key)->second; }
};

}  // namespace __scopec
SCOPEC_SHIM_END
