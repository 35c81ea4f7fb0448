import { parseFunction } from './abi/signatures.ts';
import { decodeNamed, encodeArguments } from './abi/values.ts';
import { GatewayRefusal } from './tool-error.ts';
import type { ToolRun } from './tool-run.ts';

type OptionalCall = {
  readonly to: string;
  readonly signature: string;
  readonly args?: readonly unknown[];
};

/** Error codes of calls that fail in the contract: a revert (3), and geth's code for other failures of the EVM. */
const FAILURES: readonly unknown[] = [3, -32000];

/**
 * Calls a function that a contract may not have.
 * @param block parameter of the request
 * @returns the first result; undefined if the call fails in the contract, or returns other data
 */
export async function readOptional(
  run: ToolRun,
  { to, signature, args = [] }: OptionalCall,
  block: string,
): Promise<unknown> {
  const called = parseFunction(signature);
  const data = `${called.selector}${encodeArguments(called.inputs, args).slice(2)}`;
  try {
    const returned = String(await run.request('eth_call', [{ to, data }, block]));
    const decoded = returned === '0x' ? undefined : decodeNamed(called.outputs, returned);
    return Array.isArray(decoded) ? decoded[0] : undefined;
  } catch (error) {
    if (error instanceof GatewayRefusal && FAILURES.includes(error.code)) return undefined;
    throw error;
  }
}
