import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { convertChainError } from '../../gateway/call-errors.ts';
import type { Network } from '../../methods/network.ts';
import { findMethod } from '../../methods/table.ts';
import { loadFamily } from '../../rollup/family-table.ts';
import { RpcError } from '../../rpc/errors.ts';
import { RequestScope } from '../../util/request-scope.ts';
import { type Bundle, type BundleAnswer, BundleError, lowerHex, type RollupSettings } from '../format.ts';
import { readResult } from '../request-block.ts';
import { createL1, createRequest } from './evidence-chain.ts';
import type { Readings } from './readings.ts';

const NETWORK = { name: 'bundle', safeTag: 'reject', callTimeoutMs: 0, allowsDemoKey: false } as const;

/**
 * Executes the implementation of a method on a chain whose answers come from evidence.
 * @throws BundleError if the bundle cannot answer the request
 * @throws MissingState if the evidence lacks state
 */
export async function runMethod(
  { method: name, params }: Pick<Bundle, 'method' | 'params'>,
  chain: Chain,
  rollup: RollupSettings | null,
  readings: Readings,
): Promise<BundleAnswer> {
  const network: Network = { ...NETWORK, chain, ...(rollup && (await openRollup(rollup, chain, readings))) };
  const method = findMethod(name, network);
  if (method === undefined) throw new BundleError(`the network has no method ${name}`);
  const scope = new RequestScope(Number.POSITIVE_INFINITY);
  try {
    const result = await method.invoke(params, { network, clientVersion: '', scope });
    return { result: lowerHex(await readResult(result)) };
  } catch (error) {
    if (error instanceof RpcError) return describeError(error);
    if (error instanceof ChainError) return describeError(convertChainError(error, scope));
    throw error;
  }
}

async function openRollup(
  { family, prefix, mode, l1CostMode, messageService }: RollupSettings,
  chain: Chain,
  readings: Readings,
): Promise<Pick<Network, 'rollup' | 'rollupPrefixes'>> {
  const row = await loadFamily(family).catch(() => {
    throw new BundleError(`there is no rollup family ${family}`);
  });
  const rollup = row.create({
    chain,
    l1: readings.has('l1') ? createL1(readings) : undefined,
    opNode: readings.has('opNode') ? { request: createRequest('opNode', readings) } : undefined,
    mode,
    l1CostMode,
    messageService: messageService ?? undefined,
  });
  return { rollup, rollupPrefixes: [prefix] };
}

function describeError({ row, message, data }: RpcError): BundleAnswer {
  const { code } = row;
  if (data === undefined) return { error: { code, message } };
  if (typeof data !== 'string' && !(data instanceof Uint8Array)) return { error: { code, message } };
  return { error: { code, message, data: typeof data === 'string' ? data : bytesToHex(data) } };
}
