/** Init code: its return data becomes the contract's code, where the rules allow it. */

import { concatBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { isAtLeast } from '../../support/is-at-least.ts';
import type { Random } from '../random.ts';
import { ProgramBuilder } from './program-builder.ts';

const MAX_CODE_LENGTH = 24_576;

/** Init code that returns these bytes. */
export function deployingCode(code: Uint8Array, revision: Revision): Uint8Array {
  const builder = new ProgramBuilder(isAtLeast(revision, 'shanghai'));
  builder.push(BigInt(code.length));
  builder.op('DUP1');
  const label = builder.addData(code);
  builder.pushLabel(label);
  builder.push(0n);
  builder.op('CODECOPY');
  builder.push(0n);
  builder.op('RETURN');
  return builder.build();
}

/** Init code that returns this many zero bytes. */
function zerosDeploying(length: number, revision: Revision): Uint8Array {
  const builder = new ProgramBuilder(isAtLeast(revision, 'shanghai'));
  builder.push(BigInt(length));
  builder.push(0n);
  builder.op('RETURN');
  return builder.build();
}

const SELF_DESTRUCTING = Uint8Array.of(0x30, 0xff);
const REVERTING = Uint8Array.of(0x60, 0x20, 0x60, 0x00, 0x53, 0x60, 0x21, 0x60, 0x00, 0xfd);
const INVALID = Uint8Array.of(0xfe);
const STORING = Uint8Array.of(0x60, 0x01, 0x60, 0x00, 0x55);

/** @param createProgram makes a runtime program, for cases that deploy or run a whole one */
export function randomInitCode(
  random: Random,
  revision: Revision,
  createProgram: () => Uint8Array,
): Uint8Array {
  switch (random.below(24)) {
    case 0:
      return new Uint8Array(0);
    case 1:
      return REVERTING;
    case 2:
      return INVALID;
    case 3:
      return SELF_DESTRUCTING;
    case 4:
      // EIP-3541: refused since London; code that halts before.
      return deployingCode(concatBytes(Uint8Array.of(0xef), random.bytes(random.below(3))), revision);
    case 5:
      return zerosDeploying(random.pick([MAX_CODE_LENGTH, MAX_CODE_LENGTH + 1, 200, 2000]), revision);
    case 6:
      return concatBytes(STORING, deployingCode(SELF_DESTRUCTING, revision));
    case 7:
      return Uint8Array.of(0xef, random.below(2));
    case 8:
    case 9:
    case 10:
      return createProgram();
    case 11:
      return deployingCode(random.bytes(random.below(20)), revision);
    default:
      return deployingCode(createProgram(), revision);
  }
}
