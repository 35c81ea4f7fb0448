import { assemble } from '../assembler.ts';
import { encodeErrorString, eventTopic } from './abi.ts';
import { argument, dispatch, revertWith } from './macros.ts';

/** Signature of the deposit contract's `deposit`. */
export const DEPOSIT_SIGNATURE = 'deposit(bytes,bytes,bytes,bytes32)';

const WORD = 32;
const COUNT_SLOT = 0;
const ONE_ETHER = 10n ** 18n;
const GWEI = 10n ** 9n;

/** Parts of `DepositEvent(bytes,bytes,bytes,bytes,bytes)` and the offset of each one's data (EIP-6110). */
const PUBLIC_KEY = { length: 48, at: 192 };
const CREDENTIALS = { length: 32, at: 288 };
const AMOUNT = { length: 8, at: 352 };
const SIGNATURE = { length: 96, at: 416 };
const INDEX = { length: 8, at: 544 };
const PARTS = [PUBLIC_KEY, CREDENTIALS, AMOUNT, SIGNATURE, INDEX];
const EVENT_LENGTH = 576;

/** [] -> []; copies an argument of type `bytes`, which must be as long as the part */
function copyPart(index: number, { length, at }: (typeof PARTS)[number]): string {
  return `
    ${argument(index)} 4 ADD
    DUP1 CALLDATALOAD ${length} EQ ISZERO @refuse JUMPI
    ${length} SWAP1 ${WORD} ADD ${at} CALLDATACOPY
  `;
}

/** [number] -> []; stores 8 bytes, little-endian */
function storeLittleEndian({ at }: (typeof PARTS)[number]): string {
  const bytes = Array.from({ length: 8 }, (_, i) => `DUP1 ${WORD - 1 - i} BYTE ${at + i} MSTORE8`);
  return `${bytes.join('\n')} POP`;
}

/**
 * A deposit contract without the Merkle tree: it checks lengths and amount, and emits the logs that Prague's blocks turn into deposit requests.
 * Byzantium.
 */
export const DEPOSIT_RUNTIME: Uint8Array = assemble(`
  ${dispatch([
    {
      signature: DEPOSIT_SIGNATURE,
      payable: true,
      body: `
        ${ONE_ETHER} CALLVALUE LT @tooLow JUMPI
        ${GWEI} CALLVALUE MOD @notGwei JUMPI
        ${PARTS.map(({ length, at }, i) => `${at - WORD} ${WORD * i} MSTORE ${length} ${at - WORD} MSTORE`).join('\n')}
        ${copyPart(0, PUBLIC_KEY)}
        ${copyPart(1, CREDENTIALS)}
        ${copyPart(2, SIGNATURE)}
        ${GWEI} CALLVALUE DIV ${storeLittleEndian(AMOUNT)}
        ${COUNT_SLOT} SLOAD ${storeLittleEndian(INDEX)}
        1 ${COUNT_SLOT} SLOAD ADD ${COUNT_SLOT} SSTORE
        ${eventTopic('DepositEvent(bytes,bytes,bytes,bytes,bytes)')} ${EVENT_LENGTH} 0 LOG1
        STOP`,
    },
  ])}
  tooLow: ${revertWith(encodeErrorString('DepositContract: deposit value too low'))}
  notGwei: ${revertWith(encodeErrorString('DepositContract: deposit value not multiple of gwei'))}
`);
