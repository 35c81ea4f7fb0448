/** Memory bound of a service while nodes attack it. */
import { parseConfig } from '../../../src/config/load-config.ts';

const MiB = 1024 * 1024;
/** Memory of the program itself: its code, V8's heap, and the neighbour's network. */
const PROGRAM_BYTES = 150 * MiB;

/**
 * Sums the default budgets of a configuration and the memory of the program without them:
 * 128 MiB `limits.arrivingBytes`, 256 MiB `limits.unsentBytes`, 256 MiB `limits.nodeBytes`, 32 MiB `cache.memoryBytes`,
 * 64 MiB `execution.provenState`, and 150 MiB: 886 MiB. Every new budget needs a new term.
 */
export function readMemoryBound(): number {
  const text = JSON.stringify({ networks: { devnet: { builtin: 'devnet', hosts: ['localhost'] } } });
  const { limits, cache, execution } = parseConfig(text, { name: 'defaults', folder: '/', environment: {} });
  const budgets = [
    limits.arrivingBytes,
    limits.unsentBytes,
    limits.nodeBytes,
    cache.memoryBytes,
    execution.provenState,
  ];
  return budgets.reduce((sum, bytes) => sum + bytes, PROGRAM_BYTES);
}
