import { assemble, deployCode } from '../assembler.ts';
import { eventTopic } from './abi.ts';
import { argument, copyBytesArgument, dispatch, RETURN_WORD } from './macros.ts';

export const FACTORY_ABI = [
  'function create(bytes initCode) payable returns (address)',
  'function create2(bytes32 salt, bytes initCode) payable returns (address)',
  'event Created(address indexed created)',
] as const;

/** [address] -> halt; logs and returns the address, zero when the creation failed */
const ANNOUNCE = `DUP1 ${eventTopic('Created(address)')} 0 0 LOG2 ${RETURN_WORD}`;

/** Creates contracts and forwards the value to them. Frontier; `create2` since Constantinople. */
const FACTORY_RUNTIME: Uint8Array = assemble(
  dispatch(
    [
      {
        signature: 'create(bytes)',
        payable: true,
        body: `${copyBytesArgument(0)} 0 CALLVALUE CREATE ${ANNOUNCE}`,
      },
      {
        signature: 'create2(bytes32,bytes)',
        payable: true,
        body: `${argument(0)} ${copyBytesArgument(1)} 0 CALLVALUE CREATE2 ${ANNOUNCE}`,
      },
    ],
    'invalid',
  ),
);
export const FACTORY_INIT_CODE: Uint8Array = deployCode(FACTORY_RUNTIME);
