/** Methods that bundles support, by name. */
import type { MethodContext } from '../methods/method-context.ts';
import { METHODS } from '../methods/table.ts';
import { RpcError } from '../rpc/errors.ts';
import { type Method, parseParams } from '../rpc/method.ts';
import { BundleRequestError } from './format.ts';
import type { ReadKind } from './reads/read-kind.ts';
import { receipts } from './reads/receipts.ts';
import { transactionRead } from './reads/transaction.ts';
import { uncle } from './reads/uncle.ts';

/** Method that bundles support, and the index of its block parameter. If `read` is absent, the method is executed by the EVM. */
export type ProvableMethod = {
  readonly method: Method<MethodContext>;
  readonly blockAt: number | undefined;
  readonly read?: ReadKind;
};

/** Methods by name. `blockAt` is undefined if the method always uses the head. */
const ROWS: Readonly<Record<string, Omit<ProvableMethod, 'method'>>> = {
  eth_getBlockReceipts: { blockAt: 0, read: receipts },
  eth_getTransactionByBlockNumberAndIndex: { blockAt: 0, read: transactionRead },
  eth_getUncleByBlockNumberAndIndex: { blockAt: 0, read: uncle },
  eth_call: { blockAt: 1 },
  eth_estimateGas: { blockAt: 1 },
  l2_estimateGas: { blockAt: 1 },
  rollup_getInfo: { blockAt: undefined },
};

/**
 * Finds a method by name.
 * @param prefix prefix under which the network serves `l2_estimateGas`
 * @throws BundleRequestError if bundles do not support the method
 */
export function findProvable(name: string, prefix: string | undefined): ProvableMethod {
  const isOwn = prefix !== undefined && name === `${prefix}_estimateGas` && !Object.hasOwn(ROWS, name);
  const common = isOwn ? 'l2_estimateGas' : name;
  const row = Object.hasOwn(ROWS, common) ? ROWS[common] : undefined;
  const method = METHODS.find((one) => one.name === common);
  if (row === undefined || method === undefined)
    throw new BundleRequestError(
      `${name} cannot be bundled; expected one of ${Object.keys(ROWS).join(', ')}`,
    );
  return { method, ...row };
}

/** Parses the parameters of a request. @throws BundleRequestError that names the malformed parameter */
export function readParams({ method }: ProvableMethod, params: readonly unknown[]): readonly unknown[] {
  try {
    return parseParams(method.params, params);
  } catch (error) {
    if (error instanceof RpcError)
      throw new BundleRequestError(`the parameters of ${method.name} are invalid: ${error.message}`);
    throw error;
  }
}
