// The emulated device: a process that holds the device's memory and runs kernels, for the Go side
// that gpu/emulator.go has. Requests come by standard input and answers go to standard output, one
// for each. Whatever goes wrong in a kernel ends the process, with what it was as the last lines of
// standard error: a real device that failed is of no use either.
//
// Kernels are compiled with a sanitizer or without; this file never is, so that it does not look at
// itself. It tells the sanitizers about fibers: AddressSanitizer which stack is in use,
// ThreadSanitizer that each fiber is a thread. For the latter, threads are ordered by barriers
// alone, as on a device: a shuffle or vote orders no access to memory. Blocks of a launch and
// launches follow each other.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;

#include "emulator.h"

#if defined(SCANMAP_ADDRESS) || defined(SCANMAP_THREAD)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif
#ifdef SCANMAP_ADDRESS
extern "C" void __sanitizer_start_switch_fiber(void** save, const void* bottom, size_t size);
extern "C" void __sanitizer_finish_switch_fiber(void* saved, const void** bottom, size_t* size);
#endif
#ifdef SCANMAP_THREAD
extern "C" void* __tsan_get_current_fiber();
extern "C" void* __tsan_create_fiber(unsigned flags);
extern "C" void __tsan_switch_to_fiber(void* fiber, unsigned flags);
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace emulator {

Place now;

static const Kernel* kernels;

bool add(const Kernel& kernel) {
	kernel.next = kernels;
	kernels = &kernel;
	return true;
}

static const Kernel* find(const std::string& name) {
	for (const Kernel* k = kernels; k; k = k->next)
		if (name == k->name) return k;
	return nullptr;
}

static const char* meeting_name(Meeting m) {
	static const char* const names[] = {"shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "ballot", "any", "all", "warp_barrier", "block_barrier"};
	return names[m];
}

// ---- Fibers ----

#if defined(__x86_64__)
// emulator_switch puts the registers that a function has to keep on the stack, notes the stack in
// *save, and goes on where the other stack left off.
extern "C" void emulator_switch(void** save, void* to);
asm(R"(
	.text
	.globl emulator_switch
	.type emulator_switch, @function
emulator_switch:
	pushq %rbp
	pushq %rbx
	pushq %r12
	pushq %r13
	pushq %r14
	pushq %r15
	movq %rsp, (%rdi)
	movq %rsi, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %rbx
	popq %rbp
	popq %rdx
	jmpq *%rdx
	.size emulator_switch, . - emulator_switch
)");

struct Context {
	void* stack = nullptr;
	void start(char* bottom, size_t size, void (*function)()) {
		void** top = reinterpret_cast<void**>(bottom + size);
		*--top = nullptr; // where function would return to; it does not
		*--top = reinterpret_cast<void*>(function);
		for (int i = 0; i < 6; i++) *--top = nullptr;
		stack = top;
	}
	static void change(Context& from, Context& to) { emulator_switch(&from.stack, to.stack); }
};
#else
#include <ucontext.h>

struct Context {
	ucontext_t context;
	void start(char* bottom, size_t size, void (*function)()) {
		getcontext(&context);
		context.uc_stack.ss_sp = bottom;
		context.uc_stack.ss_size = size;
		context.uc_link = nullptr;
		makecontext(&context, function, 0);
	}
	static void change(Context& from, Context& to) { swapcontext(&from.context, &to.context); }
};
#endif

enum State { READY, AT_WARP, AT_BLOCK, ENDED };

struct Fiber {
	Context context;
	State state = ENDED;
	// What it waits for.
	Meeting meeting;
	u32 value, argument, result;
	const char* file;
	u32 line;
	char* stack;
	// For ThreadSanitizer.
	void* thread = nullptr;
	u32 warp_barriers, block_barriers; // passed in this block
};

static const size_t STACK = 256 << 10;
static std::vector<Fiber*> fibers; // by thread
static Context scheduler;
static Fiber* current;
static const Kernel* running;
static const void* parameters;
static u32 launches;
#ifdef SCANMAP_ADDRESS
static void* scheduler_fake;
static const void* scheduler_bottom;
static size_t scheduler_size;
#endif
#ifdef SCANMAP_THREAD
static void* scheduler_thread;
// A block's threads start after start_order and end before end_order. Barriers take turns with two,
// because a thread may come to the next barrier before another has left the last.
static char start_order, end_order, block_orders[2], warp_orders[2][32];
#endif

// where_running says which thread was running, for a report.
static void where_running() {
	if (!running) return;
	char text[256];
	const int n = snprintf(text, sizeof text, "\nscanmap emulator: in kernel %s, block %u, thread %u\n", running->name, now.block, now.thread);
	if (write(2, text, size_t(n)) < 0) return;
}

[[noreturn]] static void fail(const std::string& what) {
	const std::string text = "scanmap emulator: " + what + "\n";
	if (write(2, text.data(), text.size()) >= 0) where_running();
	_exit(70);
}

#if !defined(SCANMAP_ADDRESS) && !defined(SCANMAP_THREAD)
// The lanes of a warp that have had their turn, of those that it has.
static u32 warp_first, warp_turn, warp_turns;

// next_lane makes the next lane that is ready the one that runs. It returns null if there is none.
static Fiber* next_lane() {
	while (warp_turn < warp_turns) {
		const u32 lane = launches % 2 ? warp_turns - 1 - warp_turn : warp_turn; // no order is promised
		warp_turn++;
		Fiber* f = fibers[warp_first + lane];
		if (f->state != READY) continue;
		current = f;
		now.thread = warp_first + lane;
		return f;
	}
	return nullptr;
}

// leave goes from the fiber that runs to the next lane of its warp, or else to the scheduler.
static void leave(Fiber& f) {
	Fiber* next = next_lane();
	Context::change(f.context, next ? next->context : scheduler);
}

// take_turns has each lane of a warp that is ready run until it waits or has ended.
static void take_turns(u32 first, u32 threads) {
	warp_first = first;
	warp_turn = 0;
	warp_turns = threads;
	if (Fiber* next = next_lane()) Context::change(scheduler, next->context);
}
#else
// leave goes from the fiber that runs to the scheduler, for good if it has ended.
static void leave(Fiber& f) {
#ifdef SCANMAP_ADDRESS
	void* fake = nullptr;
	__sanitizer_start_switch_fiber(&fake, scheduler_bottom, scheduler_size);
#endif
#ifdef SCANMAP_THREAD
	__tsan_switch_to_fiber(scheduler_thread, 1);
#endif
	Context::change(f.context, scheduler);
#ifdef SCANMAP_ADDRESS
	__sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

// enter goes from the scheduler to a fiber, and returns when that waits or has ended.
static void enter(Fiber& f, u32 thread) {
	current = &f;
	now.thread = thread;
#ifdef SCANMAP_ADDRESS
	__sanitizer_start_switch_fiber(&scheduler_fake, f.stack, STACK);
#endif
#ifdef SCANMAP_THREAD
	__tsan_switch_to_fiber(f.thread, 1);
#endif
	Context::change(scheduler, f.context);
#ifdef SCANMAP_ADDRESS
	__sanitizer_finish_switch_fiber(scheduler_fake, nullptr, nullptr);
#endif
}

// take_turns has each lane of a warp that is ready run until it waits or has ended.
static void take_turns(u32 first, u32 threads) {
	for (u32 i = 0; i < threads; i++) {
		const u32 thread = first + (launches % 2 ? threads - 1 - i : i); // no order is promised
		if (fibers[thread]->state == READY) enter(*fibers[thread], thread);
	}
}
#endif

// fiber_main runs one thread of one block after the other.
static void fiber_main() {
#ifdef SCANMAP_ADDRESS
	__sanitizer_finish_switch_fiber(nullptr, &scheduler_bottom, &scheduler_size);
#endif
	for (;;) {
		Fiber& f = *current;
#ifdef SCANMAP_THREAD
		__tsan_acquire(&start_order);
#endif
		running->run(parameters);
#ifdef SCANMAP_THREAD
		__tsan_release(&end_order);
#endif
		f.state = ENDED;
		leave(f);
	}
}

static void make_fibers(u32 threads) {
	while (fibers.size() < threads) {
		auto* f = new Fiber;
		// A page below each stack cannot be touched.
		const size_t guard = size_t(sysconf(_SC_PAGESIZE));
		void* memory = mmap(nullptr, STACK + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE) != 0) fail("no memory for the stacks of threads");
		f->stack = static_cast<char*>(memory) + guard;
		// Threads of a warp take turns, and their stacks would lie in the same lines of the cache.
		f->context.start(f->stack, STACK - fibers.size() % 64 * 576, fiber_main);
#ifdef SCANMAP_THREAD
		f->thread = __tsan_create_fiber(0);
#endif
		fibers.push_back(f);
	}
}

u32 meet(Meeting meeting, u32 value, u32 argument, const char* file, u32 line) {
	Fiber& f = *current;
	f.meeting = meeting;
	f.value = value;
	f.argument = argument;
	f.file = file;
	f.line = line;
	f.state = meeting == BLOCK_BARRIER ? AT_BLOCK : AT_WARP;
#ifdef SCANMAP_THREAD
	void* order = nullptr;
	if (meeting == BLOCK_BARRIER) order = &block_orders[f.block_barriers++ % 2];
	if (meeting == WARP_BARRIER) order = &warp_orders[f.warp_barriers++ % 2][now.thread / 32];
	if (order) __tsan_release(order);
#endif
	leave(f);
#ifdef SCANMAP_THREAD
	if (order) __tsan_acquire(order);
#endif
	return f.result;
}

// ---- Blocks ----

static std::string standing(u32 thread) {
	const Fiber& f = *fibers[thread];
	const std::string who = "thread " + std::to_string(thread);
	if (f.state == ENDED) return who + " has ended";
	const char* slash = strrchr(f.file, '/');
	return who + " waits at " + meeting_name(f.meeting) + " (" + (slash ? slash + 1 : f.file) + ":" + std::to_string(f.line) + ")";
}

static bool together(const Fiber& a, const Fiber& b) {
	return a.state == b.state && a.meeting == b.meeting && a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

// resolve gives each lane of a warp its part of what they met for.
static void resolve(Fiber* const* warp) {
	u32 votes = 0;
	for (u32 i = 0; i < 32; i++) votes |= u32(warp[i]->value != 0) << i;
	for (u32 i = 0; i < 32; i++) {
		Fiber& f = *warp[i];
		u32 from = i;
		switch (f.meeting) {
		case SHUFFLE: from = f.argument & 31; break;
		case SHUFFLE_UP: from = f.argument <= i ? i - f.argument : i; break;
		case SHUFFLE_DOWN: from = f.argument < 32 - i ? i + f.argument : i; break;
		case SHUFFLE_XOR: from = (i ^ f.argument) < 32 ? i ^ f.argument : i; break;
		default: break;
		}
		switch (f.meeting) {
		case BALLOT: f.result = votes; break;
		case ANY: f.result = votes != 0; break;
		case ALL: f.result = votes == ~0u; break;
		default: f.result = warp[from]->value;
		}
	}
	for (u32 i = 0; i < 32; i++) warp[i]->state = READY;
}

// run_warp runs the threads of a warp until all have ended or wait for the block.
static void run_warp(u32 first, u32 threads) {
	for (;;) {
		take_turns(first, threads);
		u32 at_warp = 0;
		for (u32 i = 0; i < threads; i++) at_warp += fibers[first + i]->state == AT_WARP;
		if (at_warp == 0) return;
		u32 waits = first;
		while (fibers[waits]->state != AT_WARP) waits++;
		for (u32 i = 0; i < threads; i++)
			if (!together(*fibers[waits], *fibers[first + i])) {
				now.thread = waits;
				fail("the lanes of a warp do not meet: " + standing(waits) + ", but " + standing(first + i));
			}
		if (threads < 32) fail("the last warp of the block has " + std::to_string(threads) + " lanes, and " + standing(waits));
		resolve(&fibers[first]);
	}
}

static void run_block(u32 threads) {
	if (running->shared) memset(running->shared, 0xA5, size_t(running->shared_end - running->shared));
	for (u32 i = 0; i < threads; i++) {
		fibers[i]->state = READY;
		fibers[i]->warp_barriers = fibers[i]->block_barriers = 0;
	}
#ifdef SCANMAP_THREAD
	__tsan_release(&start_order);
#endif
	for (;;) {
		for (u32 first = 0; first < threads; first += 32) run_warp(first, threads - first < 32 ? threads - first : 32);
		u32 waits = threads;
		for (u32 i = 0; i < threads; i++)
			if (fibers[i]->state == AT_BLOCK) waits = i;
		if (waits == threads) break;
		for (u32 i = 0; i < threads; i++)
			if (!together(*fibers[waits], *fibers[i])) {
				now.thread = waits;
				fail("the threads of a block do not meet: " + standing(waits) + ", but " + standing(i));
			}
		for (u32 i = 0; i < threads; i++) fibers[i]->state = READY;
	}
#ifdef SCANMAP_THREAD
	__tsan_acquire(&end_order);
#endif
}

static void launch(const Kernel& kernel, u32 grid, u32 block, const void* p) {
	make_fibers(block);
	running = &kernel;
	parameters = p;
	launches++;
	now.blocks = grid;
	for (now.block = 0; now.block < grid; now.block++) run_block(block);
	running = nullptr;
}

// ---- Requests ----

enum Operation : u32 { ALLOCATE = 1, FREE, WRITE, READ, COPY, FILL, LAUNCH, FIND };

// Request is followed by `bytes` bytes for WRITE, and for LAUNCH and FIND by the kernel's name and
// then its parameters.
struct Request {
	u32 operation, name_bytes;
	u64 to, from, bytes;
	u32 grid, block;
};

// Answer is followed by `bytes` bytes for READ.
struct Answer {
	u64 value;
};

// The values of an answer to LAUNCH, and what FIND answers for a kernel that is not there.
static const u64 DONE = 0, UNKNOWN_KERNEL = 1, WRONG_PARAMETERS = 2, TOO_MANY_THREADS = 3;
static const u64 NOT_FOUND = ~0ull;

// Requests come in, and answers go out, in buffers: each read and write may change processes.
// Answers leave before anything waits for a request.
static char incoming[64 << 10], outgoing[64 << 10];
static size_t next_in, end_in, end_out;

static void flush() {
	for (size_t from = 0; from < end_out;) {
		const ssize_t put = write(1, outgoing + from, end_out - from);
		if (put <= 0) _exit(0);
		from += size_t(put);
	}
	end_out = 0;
}

static void read_all(void* to, size_t n) {
	for (char* p = static_cast<char*>(to); n > 0;) {
		if (next_in == end_in) {
			flush();
			const ssize_t got = read(0, incoming, sizeof incoming);
			if (got <= 0) _exit(0); // the other side has gone
			next_in = 0;
			end_in = size_t(got);
		}
		const size_t here = std::min(n, end_in - next_in);
		memcpy(p, incoming + next_in, here);
		next_in += here;
		p += here;
		n -= here;
	}
}

static void write_all(const void* from, size_t n) {
	for (const char* p = static_cast<const char*>(from); n > 0;) {
		if (end_out == sizeof outgoing) flush();
		const size_t here = std::min(n, sizeof outgoing - end_out);
		memcpy(outgoing + end_out, p, here);
		end_out += here;
		p += here;
		n -= here;
	}
}

// fill is memset. ThreadSanitizer would note each byte, although launches follow each other.
static void fill(void* to, int byte, size_t n) {
#if defined(SCANMAP_THREAD) && defined(__x86_64__)
	asm volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
#else
	memset(to, byte, n);
#endif
}

// What is filled at either end of new memory.
static const u64 FILLED = 1 << 20;

static void* allocate(u64 bytes) {
	void* p = nullptr;
	if (posix_memalign(&p, 256, bytes) != 0) return nullptr;
	// So that nobody counts on zeros. Most of what is large is not touched by small tests.
	const u64 end = bytes < FILLED ? bytes : FILLED;
	fill(p, 0xCD, end);
	fill(static_cast<char*>(p) + bytes - end, 0xCD, end);
	return p;
}

static void serve() {
	for (;;) {
		Request r;
		read_all(&r, sizeof r);
		std::string name(r.name_bytes, 0);
		if (r.name_bytes) read_all(name.data(), r.name_bytes);
		void* const to = reinterpret_cast<void*>(r.to);
		const void* const from = reinterpret_cast<const void*>(r.from);
		Answer answer = {DONE};
		switch (r.operation) {
		case ALLOCATE: answer.value = reinterpret_cast<u64>(allocate(r.bytes)); break;
		case FREE: free(to); break;
		case WRITE: read_all(to, r.bytes); break;
		case READ: break;
		case COPY: memmove(to, from, r.bytes); break;
		case FILL: fill(to, int(r.from), r.bytes); break;
		case FIND: {
			const Kernel* k = find(name);
			answer.value = k ? k->parameter_bytes : NOT_FOUND;
			break;
		}
		case LAUNCH: {
			std::vector<u64> p((r.bytes + 7) / 8 + 2); // aligned as a struct may have to be
			void* const aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(p.data()) + 15) & ~uintptr_t(15));
			read_all(aligned, r.bytes);
			const Kernel* k = find(name);
			if (!k)
				answer.value = UNKNOWN_KERNEL;
			else if (k->parameter_bytes != r.bytes)
				answer.value = WRONG_PARAMETERS;
			else if (r.block > k->threads)
				answer.value = TOO_MANY_THREADS;
			else
				launch(*k, r.grid, r.block, aligned);
			break;
		}
		default: fail("request " + std::to_string(r.operation) + " is not known");
		}
		write_all(&answer, sizeof answer);
		if (r.operation == READ) write_all(from, r.bytes);
	}
}

#if !defined(SCANMAP_ADDRESS) && !defined(SCANMAP_THREAD)
static void on_signal(int) { fail("the processor refused an access to memory or an instruction"); }

// watch_signals does what a sanitizer would: it says where the process was. Stacks of threads may
// be what is full.
static void watch_signals() {
	static char stack[64 << 10];
	stack_t alternate = {};
	alternate.ss_sp = stack;
	alternate.ss_size = sizeof stack;
	sigaltstack(&alternate, nullptr);
	struct sigaction action = {};
	action.sa_handler = on_signal;
	action.sa_flags = SA_ONSTACK;
	for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaction(signal, &action, nullptr);
}
#endif

} // namespace emulator

int main() {
#if defined(SCANMAP_ADDRESS) || defined(SCANMAP_THREAD)
	__sanitizer_set_death_callback(emulator::where_running);
#else
	emulator::watch_signals();
	// Memory that was given back is used again: the system would clear each page first.
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
#ifdef SCANMAP_THREAD
	emulator::scheduler_thread = __tsan_get_current_fiber();
#endif
	emulator::serve();
}
