import type { Probe } from '../probe.ts';
import { GAS_PRICE_ORACLE } from './oracle.ts';
import { L1_BLOCK, NUMBER } from './read-info.ts';

/** `decimals()` of the oracle, 6 on every version of it. */
const DECIMALS = '0x313ce567';

/** Whether both predeploys answer that all chains of the stack have. */
export async function recogniseOpStack(probe: Probe): Promise<boolean> {
  const [decimals, number] = await Promise.all([
    probe.callContract(GAS_PRICE_ORACLE, DECIMALS),
    probe.callContract(L1_BLOCK, NUMBER),
  ]);
  return decimals === 6n && number !== undefined;
}
