import { assemble, deployCode } from '../assembler.ts';
import { encodeErrorString, eventTopic } from './abi.ts';
import { argument, dispatch, RETURN_WORD, revertWith } from './macros.ts';

export const MESSAGE_SERVICE_ABI = [
  'function lastAnchoredL1MessageNumber() view returns (uint256)',
  'function anchor(uint256 messageNumber)',
  'event MessagesAnchored(uint256 indexed messageNumber)',
] as const;

/** Slot of the last anchored number, preset by a genesis allocation. */
export const LAST_ANCHORED_SLOT = 0;

/** The part of Linea's L2 message service that nodes read for node information. Byzantium. */
export const MESSAGE_SERVICE_RUNTIME: Uint8Array = assemble(`
  ${dispatch([
    { signature: 'lastAnchoredL1MessageNumber()', body: `${LAST_ANCHORED_SLOT} SLOAD ${RETURN_WORD}` },
    {
      signature: 'anchor(uint256)',
      body: `
        ${argument(0)} DUP1 ${LAST_ANCHORED_SLOT} SLOAD LT ISZERO @notNewer JUMPI
        DUP1 ${LAST_ANCHORED_SLOT} SSTORE
        ${eventTopic('MessagesAnchored(uint256)')} 0 0 LOG2
        STOP`,
    },
  ])}
  notNewer: ${revertWith(encodeErrorString('message number is not newer'))}
`);
export const MESSAGE_SERVICE_INIT_CODE: Uint8Array = deployCode(MESSAGE_SERVICE_RUNTIME);
