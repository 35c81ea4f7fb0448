/** Defaults of geth for a full node (`ethconfig.FullNodeGPO`, `miner.DefaultConfig`); prices are in wei per gas. */
const CHECKED_BLOCKS = 20n;
/** If a block has fewer than two samples, one more block is read, as long as the number of samples plus the number of unread blocks is below 40. */
const MAX_SAMPLED = 40;
const PERCENTILE = 60;
const MAX_TIP = 500_000_000_000n;
/** Tip that stands for a block without samples, wei; geth uses this value before its first suggestion. */
const DEFAULT_TIP = 1_000_000n;
/** Minimum tip that counts, wei; lower tips are ignored (geth's `DefaultIgnorePrice`). */
const LEAST_SAMPLE = 2n;
const SAMPLES_PER_BLOCK = 3;

/**
 * Suggests a priority fee by geth's rule: the 60th percentile of the lowest tips in the last 20 blocks. If blocks have fewer than two samples, up to
 * 20 further blocks are read, and their number depends on the order of reading. geth reads blocks concurrently, so its suggestion may vary between
 * starts. This function uses the order of Go's scheduler on one processor: the oldest of the 20 blocks is read first, then the others from the head
 * down. An added further block is the next block to be read. The suggestion thus depends only on the head, and all processes suggest the same fee,
 * even after a restart. For a block without samples, geth uses its last suggestion; this function uses the default of a geth that has just started.
 * Yields block numbers; `next` receives the samples of the block.
 * @returns priority fee in wei per gas
 */
export function* suggestTip(head: bigint): Generator<bigint, bigint, readonly bigint[]> {
  const samples: bigint[] = [];
  const oldest = head > CHECKED_BLOCKS ? head - CHECKED_BLOCKS + 1n : 1n;
  const waiting: bigint[] = [];
  for (let number = oldest + 1n; number <= head; number++) waiting.push(number);
  if (head > 0n) waiting.push(oldest);
  let further = oldest - 1n;
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    const found = yield number;
    const used = found.length === 0 ? [DEFAULT_TIP] : found;
    if (used.length === 1 && samples.length + 1 + waiting.length < MAX_SAMPLED && further > 0n) {
      waiting.push(further--);
    }
    samples.push(...used);
  }
  samples.sort(compareTips);
  const at = Math.floor(((samples.length - 1) * PERCENTILE) / 100);
  const price = samples[at] ?? DEFAULT_TIP;
  return price > MAX_TIP ? MAX_TIP : price;
}

/**
 * Returns the lowest tips of a block, which show the price that its beneficiary accepts. @param tips ascending, without the beneficiary's own
 * transactions
 */
export function chooseSamples(tips: readonly bigint[]): readonly bigint[] {
  return tips.filter((tip) => tip >= LEAST_SAMPLE).slice(0, SAMPLES_PER_BLOCK);
}

export function compareTips(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
