import type { RevertStyle } from './examination.ts';
import type { NodeProbe, ProbeOutcome } from './node-probe.ts';

/** Init code of a contract creation: PUSH1 0, PUSH1 0, REVERT. */
const BARE_REVERT = '0x60006000fd';
/** Init code: PUSH4 deadbeef, PUSH1 0, MSTORE, PUSH1 4, PUSH1 28, REVERT. */
const REVERT_WITH_DATA = '0x63deadbeef6000526004601cfd';
const DATA = '0xdeadbeef';
const REVERT_CODE = 3;

/** Sends two contract creations that revert, one with data, and classifies the errors. */
export async function examineReverts(requests: NodeProbe): Promise<RevertStyle> {
  const [plain, withData] = await Promise.all([
    requests.ask('eth_call', [{ data: BARE_REVERT }, 'latest']),
    requests.ask('eth_call', [{ data: REVERT_WITH_DATA }, 'latest']),
  ]);
  const styles = [classifyRevert(plain, '0x'), classifyRevert(withData, DATA)];
  return FROM_WORST.find((style) => styles.includes(style)) ?? 'standard';
}

const FROM_WORST: readonly RevertStyle[] = ['unclear', 'unrecognised', 'dataLost', 'translated', 'standard'];

function classifyRevert(outcome: ProbeOutcome, data: string): RevertStyle {
  if (outcome.kind === 'fault') return 'unclear';
  if (outcome.kind === 'result') return 'unrecognised';
  const { error, verdict } = outcome;
  switch (verdict.kind) {
    case 'reverted':
      if (verdict.data !== data) return 'dataLost';
      return error.code === REVERT_CODE && (error.data ?? '0x') === data ? 'standard' : 'translated';
    case 'rateLimited':
    case 'timeout':
    case 'unsupported':
    case 'unauthorized':
    case 'missing':
      return 'unclear';
    default:
      return 'unrecognised';
  }
}
