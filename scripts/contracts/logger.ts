import { assemble, deployCode } from '../assembler.ts';
import { argument, dispatch } from './macros.ts';

export const LOGGER_ABI = [
  'function log0(uint256 value)',
  'function log1(uint256 value, bytes32 a)',
  'function log2(uint256 value, bytes32 a, bytes32 b)',
  'function log3(uint256 value, bytes32 a, bytes32 b, bytes32 c)',
  'function log4(uint256 value, bytes32 a, bytes32 b, bytes32 c, bytes32 d)',
  'function logAll(uint256 value, bytes32 a, bytes32 b, bytes32 c, bytes32 d)',
] as const;

/** [] -> []; emits one log of the word in memory 0 with the first `topics` arguments after it */
function emitLog(topics: number): string {
  const pushes = Array.from({ length: topics }, (_, i) => argument(topics - i));
  return `${pushes.join(' ')} 32 0 LOG${topics}`;
}

const STORE_VALUE = `${argument(0)} 0 MSTORE`;
const COUNTS = [0, 1, 2, 3, 4];

/** Runtime code that emits logs of every number of topics, alone and all in one transaction. Frontier. */
export const LOGGER_RUNTIME: Uint8Array = assemble(
  dispatch(
    [
      ...COUNTS.map((topics) => ({
        signature: `log${topics}(uint256${',bytes32'.repeat(topics)})`,
        body: `${STORE_VALUE} ${emitLog(topics)} STOP`,
      })),
      {
        signature: `logAll(uint256${',bytes32'.repeat(4)})`,
        body: `${STORE_VALUE} ${COUNTS.map(emitLog).join('\n')} STOP`,
      },
    ],
    'invalid',
  ),
);
export const LOGGER_INIT_CODE: Uint8Array = deployCode(LOGGER_RUNTIME);
