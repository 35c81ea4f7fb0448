/** Arguments of tools that call contracts: a function by its signature and arguments, or data. */
import { encodeQuantity } from '../../packages/ethereum/primitives/quantity.ts';
import type { JsonObject } from '../rpc/codec/codec.ts';
import { type MemberField, optional } from '../rpc/codec/object-codec.ts';
import { address, data } from '../rpc/schemas.ts';
import { type AbiFunctionEntry, parseFunction } from './abi/signatures.ts';
import { encodeArguments } from './abi/values.ts';
import { amount, anyList, shortText } from './arguments.ts';
import { ToolError } from './tool-error.ts';

type CallFields = {
  readonly to: MemberField<string, false>;
  readonly signature: MemberField<string, false>;
  readonly args: MemberField<readonly unknown[], false>;
  readonly data: MemberField<string, false>;
  readonly from: MemberField<string, false>;
  readonly value: MemberField<string, false>;
  readonly gas: MemberField<string, false>;
};

export const CALL_FIELDS: CallFields = {
  to: optional(address, 'contract'),
  signature: optional(
    shortText,
    'function with its results, such as balanceOf(address)(uint256) or getReserves()(uint112 a,uint112 b,uint32)',
  ),
  args: optional(
    anyList,
    'one value for each parameter; integers above 2^53 as text; tuples as objects or arrays',
  ),
  data: optional(data, 'call data, in place of signature and args'),
  from: optional(address, 'sender; default: the zero address'),
  value: optional(amount, 'wei that the call sends'),
  gas: optional(amount, 'gas limit'),
};

/** Parsed arguments of a call. */
export type CallArguments = {
  readonly to?: string;
  readonly signature?: string;
  readonly args?: readonly unknown[];
  readonly data?: string;
  readonly from?: string;
  readonly value?: string;
  readonly gas?: string;
};

/** Call object of JSON-RPC, and the function that it calls if a signature names it. */
export type BuiltCall = { readonly call: JsonObject; readonly called: AbiFunctionEntry | undefined };

/** Builds a call object. @throws ToolError for a signature or arguments that do not fit */
export function buildCall({ to, signature, args, data, from, value, gas }: CallArguments): BuiltCall {
  if (signature !== undefined && data !== undefined)
    throw new ToolError('pass either signature and args, or data');
  if (signature === undefined && args !== undefined) throw new ToolError('args need a signature');
  const called = signature === undefined ? undefined : parseFunction(signature);
  const input =
    called === undefined ? data : `${called.selector}${encodeArguments(called.inputs, args ?? []).slice(2)}`;
  if (to === undefined && input === undefined) throw new ToolError('pass to, data or both');
  return {
    called,
    call: {
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(input !== undefined && { data: input }),
      ...(value !== undefined && { value }),
      ...(gas !== undefined && { gas: encodeQuantity(BigInt(gas)) }),
    },
  };
}
