/** Longest uninterrupted computation, milliseconds: event loop turns of real attackers take about as long. */
const SLOT_MS = 10;
const REST_MS = 1;
const MICROSECONDS = 1_000;

/**
 * Computes, and sends nothing, until the signal aborts. Where other processes take the processor, it catches up when it gets one.
 * @param share of a processor, 0 to 1
 */
export function compute(share: number, signal: AbortSignal): void {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const isBehind = (): boolean => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / MICROSECONDS < share * (performance.now() - startedAt);
  };
  const turn = (): void => {
    if (signal.aborted) return;
    for (const until = performance.now() + SLOT_MS; performance.now() < until && isBehind(); );
    setTimeout(turn, share < 1 ? REST_MS : 0);
  };
  turn();
}
