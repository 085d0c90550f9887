// What the shims are made of.  The machine knows these calls by name; none is ever defined.
//
// Orders are the numbers of std::memory_order (0 relaxed, 1 consume, 2 acquire, 3 release, 4 acq_rel, 5 seq_cst), scopes
// those of cuda::thread_scope in these shims (0 thread, 1 block, 2 cluster, 3 device, 4 system).  T is an integer, an
// enumeration, bool, a pointer or a floating-point type, never a class; its sign and size are in the mangled name.
#pragma once

#include <stddef.h>

// Around the functions of a shim: they are of both sides, and their instructions have the place of the call.
#define SCOPEC_SHIM_BEGIN                                                                                     \
    _Pragma("clang force_cuda_host_device begin")                                                             \
    _Pragma("clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))")
#define SCOPEC_SHIM_END _Pragma("clang attribute pop") _Pragma("clang force_cuda_host_device end")

#pragma clang force_cuda_host_device begin

// ---- memory

template <class __T> __T __scopec_load(const volatile __T* object, int order, int scope);
template <class __T> void __scopec_store(volatile __T* object, __T value, int order, int scope);
template <class __T> __T __scopec_exchange(volatile __T* object, __T value, int order, int scope);
template <class __T> __T __scopec_fetch_add(volatile __T* object, __T value, int order, int scope);
template <class __T> __T __scopec_fetch_sub(volatile __T* object, __T value, int order, int scope);
template <class __T> __T __scopec_fetch_and(volatile __T* object, __T value, int order, int scope);
template <class __T> __T __scopec_fetch_or(volatile __T* object, __T value, int order, int scope);
template <class __T> __T __scopec_fetch_xor(volatile __T* object, __T value, int order, int scope);
template <class __T> __T __scopec_fetch_min(volatile __T* object, __T value, int order, int scope);
template <class __T> __T __scopec_fetch_max(volatile __T* object, __T value, int order, int scope);
// atomicInc: old >= limit ? 0 : old + 1.
template <class __T> __T __scopec_fetch_inc(volatile __T* object, __T limit, int order, int scope);
// atomicDec: old == 0 || old > limit ? limit : old - 1.
template <class __T> __T __scopec_fetch_dec(volatile __T* object, __T limit, int order, int scope);
// fetch_add of a pointer.
template <class __T> __T* __scopec_fetch_move(__T* volatile* object, long bytes, int order, int scope);
// Writes the value found to *expected where it fails; a weak one may fail without a reason.
template <class __T>
bool __scopec_compare_exchange(volatile __T* object, __T* expected, __T desired, int success, int failure, int scope, bool weak);
// [atomics.wait]: blocks while the value is `old`.
template <class __T> void __scopec_wait(const volatile __T* object, __T old, int order, int scope);
template <class __T> void __scopec_notify(const volatile __T* object, bool all);
void __scopec_fence(int order, int scope);

// ---- threads

// A choice that nothing decides.
bool __scopec_decide();
// A value of which nothing is known, but that the function around makes it of others if it is made of some.
template <class __T, class... __A> __T __scopec_unknown(__A... of);
// What a clock says: nothing is known of it, but that it goes on.
template <class __T> __T __scopec_clock();
// Between these the accesses are those of an asynchronous copy.
void __scopec_agent(bool begins);
// The thread's copies are a group; all its copies but those of the latest `left` groups are complete, or have read.  There
// are groups of cp.async and of bulk copies.
void __scopec_commit_copies(bool bulk = false);
void __scopec_await_copies(int left, bool bulk = false, bool reads = false);
// tcgen05: what is read or written at an address of tensor memory, of so many columns and lanes; 16 lanes more are so far on.
void __scopec_tensor_read(unsigned at, int columns, int lanes, int further);
void __scopec_tensor_write(unsigned at, int columns, int lanes, int further);
// A is a descriptor, or an address of tensor memory; the kinds are f16, tf32, f8f6f4, i8.
void __scopec_tensor_multiply(unsigned to, unsigned long a, bool in_memory, unsigned long b, unsigned shape, int kind);
void __scopec_tensor_copy(unsigned to, unsigned long from, int rows, int parts, int columns);
void __scopec_tensor_shift(unsigned at);
// yield, or a sleep.
void __scopec_yield(bool sleeps);
// Input or output.
void __scopec_io();
// What only kernels may call; clang cannot say so of a template, nor where a function of both sides calls it.
void __scopec_in_kernel();
// __trap: the grid is aborted.
[[noreturn]] void __scopec_trap();
// exit, abort, terminate: the process ends, no object is destroyed.
[[noreturn]] void __scopec_exit();
// `text` is the condition as written.
void __scopec_assert(bool condition, const char* text);
// Something that scopec does not model: an error at the place of the call.
void __scopec_unmodelled(const char* what);
// Whether the elements of an array, of so many bytes, differ; in conditions on all launches alone.
bool __scopec_unique(const void* array, unsigned long bytes);
// A read of a texture, of which the value is any: an error too where a launch is asked about.
void __scopec_texture(const char* what);
// threadIdx.x, y, z are 0 to 2, blockIdx 3 to 5, blockDim 6 to 8, gridDim 9 to 11, a block's rank in its cluster 12, the
// cluster's blocks 13.
int __scopec_index(int which);

// ---- blocks, warps and other groups

// __syncthreads(), to which all lanes of a warp have to come (aligned) or not.
void __scopec_syncthreads(bool aligned);
// __syncthreads_count (0), _and (1), _or (2).
int __scopec_vote(int function, int predicate);
// A barrier of the warp (0: mask), a tile of neighbouring lanes (1: how many), the cluster (2), the grid (3).
void __scopec_group_sync(int group, unsigned mask_or_size);
bool __scopec_grid_valid();
// The load at this place is one through the read-only cache.
void __scopec_read_only();
// A mask that is one number from here on, on each way that the thread may go; the lanes that are here together by chance.
unsigned __scopec_known_mask(unsigned mask);
unsigned __scopec_active();
// Of the lanes of a mask: the one of a rank, else `otherwise`; some of them as bits of ranks, and ranks as lanes.
int __scopec_lane_of(unsigned mask, unsigned rank, int otherwise);
unsigned __scopec_ranks(unsigned mask, unsigned lanes);
unsigned __scopec_lanes_of(unsigned mask, unsigned ranks);
// bar.sync and bar.arrive; without a count (-1) all threads of the block.
void __scopec_cta_barrier(int name, int count, bool waits, bool aligned);
// A half of the cluster's barrier: to arrive, or to wait.
void __scopec_cluster_barrier(bool waits, bool relaxed = false);
// Where a variable in shared memory is in the block of that rank in the cluster; the rank of the block where an address is.
void* __scopec_map_shared(const void* address, unsigned rank);
unsigned __scopec_shared_rank(const void* address);
// The lane that elect.sync names; %laneid (0), %lanemask_eq (1), _lt, _le, _gt, _ge.
unsigned __scopec_elect(unsigned mask);
unsigned __scopec_lane(int which);
// That an address is in global memory (0), the block's shared memory (1), that of its cluster (2).
void __scopec_in_space(const void* address, int space);
// Whether an address is in a state space, by its number among those of PTX (scopec/frontends/ptx/table.py).
bool __scopec_space(const void* address, int space);
// shfl.sync.idx (0), up (1), down (2), bfly (3): a warp's lanes exchange values.  `b` is the lane, or how far it is; `c` has
// the segments and a clamp, as PTX has it.
template <class __T> __T __scopec_shuffle(int kind, unsigned mask, __T value, int b, int c);
// vote.sync.any (0), all (1), uni (2), ballot (3).
unsigned __scopec_warp_vote(int function, unsigned mask, int predicate);
// match.sync.any (0), all (1).
template <class __T> unsigned __scopec_match(int all, unsigned mask, __T value);
// redux.sync.add (0), min (1), max (2), and (3), or (4), xor (5).
template <class __T> __T __scopec_reduce(int operation, unsigned mask, __T value);

// ---- barriers, latches, semaphores: one number, the state

void __scopec_barrier_init(long* state, long expected);
// An arrival (release); returns the phase it belongs to.  With `drop` one fewer is expected from the next phase on.
long __scopec_barrier_arrive(long* state, long update, int scope, bool drop);
// Until the phase `token` is over (acquire).
void __scopec_barrier_wait(long* state, long token, int scope);
// Until the phase of this parity is over (acquire).
void __scopec_barrier_wait_parity(long* state, bool parity, int scope);
// Whether the phase `token`, or that of a parity, is over (acquire).
bool __scopec_barrier_test(long* state, long token, int scope);
bool __scopec_barrier_test_parity(long* state, bool parity, int scope);
// A latch: until the counter is 0 (acquire).
void __scopec_await_zero(long* counter, int scope);
// A semaphore, or a mutex that starts with 1: until the counter is positive, and takes one (acquire).
void __scopec_acquire(long* counter, int scope);

// ---- mbarriers (64 bits in shared memory), and copies that complete at them

void __scopec_mbarrier_init(unsigned long* at, unsigned count);
void __scopec_mbarrier_inval(unsigned long* at);
// Return the state before the arrival; `bytes` are expected before.  One that is `partial` must not end the phase.
unsigned long __scopec_mbarrier_arrive(unsigned long* at, unsigned count, int order, int scope, bool drop, bool partial = false);
unsigned long __scopec_mbarrier_arrive_expect(unsigned long* at, unsigned count, unsigned bytes, int order, int scope, bool drop);
void __scopec_mbarrier_expect(unsigned long* at, unsigned bytes, int scope);
void __scopec_mbarrier_complete(unsigned long* at, unsigned bytes, int scope);
// How many arrivals were pending before the one that gave a state.
unsigned __scopec_mbarrier_pending_count(unsigned long state);
// Whether the phase `token`, or that of a parity, is over.
bool __scopec_mbarrier_test(unsigned long* at, unsigned long token, int order, int scope);
bool __scopec_mbarrier_test_parity(unsigned long* at, unsigned parity, int order, int scope);
// One arrives when the thread's earlier copies by cp.async are complete; unless it is counted, the phase waits for one more.
void __scopec_mbarrier_follow_copies(unsigned long* at, bool counted);
void __scopec_mbarrier_fence_init();
// fence.proxy.async.
void __scopec_fence_async(int space);  // 0: all, 1: global, 2: shared
// Bulk copies to shared memory, and from there to global memory.
void __scopec_bulk_copy(void* to, const void* from, unsigned bytes, unsigned long* at);
void __scopec_bulk_store(void* to, const void* from, unsigned bytes);
// The first to each block of the cluster that the mask names.
void __scopec_bulk_multicast(void* to, const void* from, unsigned bytes, unsigned long* at, unsigned short mask);
// Copies of a box of the tensor that a map describes, at coordinates of which `rank` are used: to shared memory of the blocks
// that the mask names, or of the one where it is (0); and from there to global memory.
void __scopec_tensor_load(void* to, const void* map, unsigned long* at, unsigned short mask, int rank, int c0, int c1, int c2,
                          int c3, int c4);
void __scopec_tensor_store(const void* map, const void* from, int rank, int c0, int c1, int c2, int c3, int c4);
// Bulk copies that update each element by another, to shared memory and to global memory; likewise the other operations.
#define SCOPEC_BULK(NAME)                                                                                     \
    template <class __T> void __scopec_bulk_##NAME(__T* to, const __T* from, unsigned bytes, unsigned long* at);  \
    template <class __T> void __scopec_bulk_store_##NAME(__T* to, const __T* from, unsigned bytes);
SCOPEC_BULK(add) SCOPEC_BULK(min) SCOPEC_BULK(max) SCOPEC_BULK(and) SCOPEC_BULK(or) SCOPEC_BULK(xor) SCOPEC_BULK(inc) SCOPEC_BULK(dec)
#undef SCOPEC_BULK
// Between these the accesses are those of an agent, to memory of another block; so many bytes are then pending no more there.
void __scopec_send(void* to, unsigned bytes, unsigned long* at);
void __scopec_sent(unsigned long* at, unsigned bytes);
// A copy of elements from the first one on, each so many after the last, without which the mbarrier's phase is not over.
void __scopec_copy_for(void* to, const void* from, size_t size, unsigned long* at, size_t first, size_t step, size_t count);

// ---- the host's threads

// A thread that runs `run` on its own copy of the `size` bytes at `state`; returns its number, from 1.
int __scopec_thread_create(void (*run)(void*), void* state, size_t size);
void __scopec_thread_join(int thread);
void __scopec_thread_detach(int thread);
// A new flag, false, that a stop source and its tokens share.
bool* __scopec_stop_flag();

// ---- devices, streams, events

// nvcc's --default-stream per-thread defines the first.
#if !defined(__CUDA_ARCH__) && (defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM))
extern "C" __attribute__((used, weak)) const int __scopec_per_thread_streams = 1;
#endif

void __scopec_set_device(int device);
int __scopec_get_device();
// A context of the device, which is new or its primary one: a device has one context at most.
void __scopec_context(int device, bool primary);
// A device is current until the one that was is again, which returns it.
void __scopec_push_device(int device);
int __scopec_pop_device();
void __scopec_device_synchronize();
// What the API returns where it can report an earlier failure: 0, or cudaErrorLaunchFailure after a trap.
int __scopec_last_error();
// A call of the API that orders nothing.
void __scopec_api(const char* name);
// Blocking (1) or non-blocking (2); returns its number, from 3.  1 is the legacy default stream of the current device, 2 that
// of the thread (cudaStreamPerThread), 0 one of these: the first unless the build says otherwise.
int __scopec_stream_create(int kind);
void __scopec_stream_destroy(int stream);
void __scopec_stream_synchronize(int stream);
// 0 complete, 1 not.
int __scopec_stream_query(int stream);
// Returns its number, from 1.
int __scopec_event_create(unsigned flags);
void __scopec_event_record(int event, int stream);
void __scopec_stream_wait_event(int stream, int event);
void __scopec_event_synchronize(int event);
// 0 complete, 1 not.
int __scopec_event_query(int event);
void __scopec_event_destroy(int event);
// A stream is captured, in a mode, until the graph is made; whether one is.
void __scopec_capture_begin(int stream, int mode, int graph = 0);  // a graph that is there, or a new one
int __scopec_capture_end(int stream);
int __scopec_capture_status(int stream);
// Graphs and executable graphs have numbers from 1, a node that of its graph times 65536 and its own from 1.  Between open and close, what is given to stream -2 is a node,
// after those that are named; where nothing was made, one that does nothing.
int __scopec_graph_create();
void __scopec_graph_edge(int graph, int from, int to);
int __scopec_graph_instantiate(int graph);
long __scopec_graph_update(int executable, int graph);  // the result, and 16 times the node that it is about
void __scopec_graph_launch(int executable, int stream);
int __scopec_graph_clone(int graph);
int __scopec_graph_size(int graph);
// What is given to stream -2 is what a node of an executable graph, or of a graph, does from here on.
void __scopec_work_open();
void __scopec_work_of(int executable, int node);
void __scopec_work_in(int node);
// A node of an executable graph that is not enabled does nothing.
void __scopec_node_enable(int executable, int node, bool enabled);
bool __scopec_node_enabled(int executable, int node);
// The graph that a stream is captured into (0: none), and the nodes that its next work comes after: how many, which; as they
// are set, first to none, then one by one.
int __scopec_capture_graph(int stream);
int __scopec_capture_count(int stream);
int __scopec_capture_node(int stream, int position);
void* __scopec_handles(size_t count);  // memory for so many of them
void __scopec_capture_clear(int stream);
void __scopec_capture_after(int stream, int node);
void __scopec_node_open(int graph);
void __scopec_node_after(int node);
int __scopec_node_close(bool made);
void __scopec_node_child(int graph);
// An event that a launch records, or waits for.
void __scopec_event_node(int event, int stream, bool waits);
void __scopec_host_function(int stream, void (*run)(void*), void* data);
// A launch by the API of the kernel whose address the host has, with pointers to its arguments; a cluster of 0 blocks is
// none.  `kernel<<<...>>>(...)` is __cudaPushCallConfiguration and a call of __device_stub__kernel.
void __scopec_launch(const void* kernel, void** arguments, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                     unsigned block_x, unsigned block_y, unsigned block_z, size_t shared, int stream, bool cooperative,
                     unsigned cluster_x, unsigned cluster_y, unsigned cluster_z, int domain, bool dependent);
// The next launch records an event when each block has triggered it or ended (0), has begun (1), or nobody knows when (2).
void __scopec_launch_event(int event, int when, int flags);
// The kernel of a name, as it is in object code.
const void* __scopec_kernel(const char* name);
// The variable of the device that has a name there, `managed` ones where these are asked for; and how many bytes it has.
void* __scopec_global(const char* name, bool managed);
size_t __scopec_global_size(const char* name);
// Of a dependent grid: until the one before it is complete; and of that one, what lets the other start.
void __scopec_await_prerequisite();
void __scopec_trigger_dependents();

// ---- memory of devices and host

// Device (0), managed (1), mapped (2) or the system's (3) memory; `by` is the function that allocates or frees it, which say
// to each other what fits.  With a stream it is there, or no more, when that comes to it; -1 is none: it is at once.
void* __scopec_allocate(size_t bytes, int storage, const char* by, int stream = -1);
void __scopec_deallocate(void* memory, const char* by, int stream = -1);
// Kinds are those of cudaMemcpyKind (0 host to host, 1 to device, 2 to host, 3 on the device, 4 by address); `waits` is
// whether it is cudaMemcpy or the Async form.
void __scopec_copy(void* to, const void* from, size_t bytes, int kind, int stream, bool waits);
// A copy in the legacy stream that is serialized with all work of the current device and of these.
void __scopec_peer_copy(void* to, const void* from, size_t bytes, int kind, int stream, bool waits, int to_device,
                        int from_device);
void __scopec_fill(void* to, int byte, size_t bytes, int stream, bool waits);
// Work of a stream that accesses nothing: of a prefetch, or of memory that is attached to a stream.
void __scopec_stream_operation(int stream, const char* by);
// A stream waits until a number of some bytes is as flags and a value say, or writes one (cuStreamWaitValue32).
void __scopec_wait_value(int stream, const void* address, size_t bytes, unsigned long value, unsigned flags);
void __scopec_write_value(int stream, void* address, size_t bytes, unsigned long value, unsigned flags);
void __scopec_register(void* memory, size_t bytes);
void __scopec_unregister(void* memory);

#pragma clang force_cuda_host_device end
