import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { asText, isSameText } from '../../../packages/proofs/members.ts';
import type { ReportedBlock } from '../../pool/heads/block.ts';
import { classifySupport } from './classify-support.ts';
import type { FeatureName, Support } from './examination.ts';
import type { NodeProbe } from './node-probe.ts';

/** Address of an account without code or balance. */
const UNUSED = '0x00000000000000000000000000000000d0c70000';
const CALL = { to: UNUSED, data: '0x' };
/** Bytecode that returns 42: PUSH1 42, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN */
const CODE_ANSWERING_42 = '0x602a60005260206000f3';
const WORD_OF_42 = `0x${'2a'.padStart(64, '0')}`;

type Check = (value: unknown) => string | undefined;
type Probe = { readonly method: string; readonly params: readonly unknown[]; readonly check: Check };

/**
 * Tests the main methods of the service, and the request forms that the pool uses.
 * @param latest block at which calls are executed
 * @param sample block with transactions, if there is a recent one
 */
export async function examineFeatures(
  requests: NodeProbe,
  latest: ReportedBlock,
  sample: ReportedBlock,
): Promise<Readonly<Record<FeatureName, Support>>> {
  const probes = Object.entries(listProbes(latest, sample));
  const answers = await Promise.all(
    probes.map(async ([name, { method, params, check }]): Promise<[string, Support]> => {
      return [name, classifySupport(await requests.ask(method, params), check)];
    }),
  );
  return Object.fromEntries(answers) as Record<FeatureName, Support>;
}

function listProbes(latest: ReportedBlock, sample: ReportedBlock): Record<FeatureName, Probe> {
  const at = encodeQuantity(latest.number);
  const atHash = { blockHash: latest.hash };
  const sampled = encodeQuantity(sample.number);
  const overrides = { [UNUSED]: { code: CODE_ANSWERING_42 } };
  const receipts = checkReceiptList(sample);
  return {
    eth_call: { method: 'eth_call', params: [CALL, at], check: checkResult('0x') },
    callAtHash: { method: 'eth_call', params: [CALL, atHash], check: checkResult('0x') },
    stateOverrides: {
      method: 'eth_call',
      params: [CALL, at, overrides],
      check: (value) => (value === '0x' ? 'they are ignored' : checkResult(WORD_OF_42)(value)),
    },
    eth_estimateGas: { method: 'eth_estimateGas', params: [CALL], check: checkQuantity },
    estimateAtBlock: { method: 'eth_estimateGas', params: [CALL, at], check: checkQuantity },
    estimateAtHash: { method: 'eth_estimateGas', params: [CALL, atHash], check: checkQuantity },
    eth_getBlockReceipts: { method: 'eth_getBlockReceipts', params: [sampled], check: receipts },
    receiptsByHash: { method: 'eth_getBlockReceipts', params: [sample.hash], check: receipts },
    eth_getTransactionByBlockNumberAndIndex: {
      method: 'eth_getTransactionByBlockNumberAndIndex',
      params: [sampled, '0x0'],
      check: checkPart(sample.transactionHashes[0]),
    },
    eth_getUncleByBlockNumberAndIndex: {
      method: 'eth_getUncleByBlockNumberAndIndex',
      params: [sampled, '0x0'],
      check: checkPart(sample.uncleHashes[0]),
    },
  };
}

/** Tests whether the node itself has the methods `<prefix>_estimateGas` and `rollup_getInfo`. */
export async function examineRollup(
  requests: NodeProbe,
  prefix: string,
): Promise<Readonly<Record<string, Support>>> {
  const name = `${prefix}_estimateGas`;
  const [estimate, info] = await Promise.all([requests.ask(name, [CALL]), requests.ask('rollup_getInfo')]);
  const isObject: Check = (value) =>
    typeof value === 'object' && value !== null ? undefined : 'the answer is not an object';
  return { [name]: classifySupport(estimate, isObject), rollup_getInfo: classifySupport(info, isObject) };
}

function checkResult(result: string): Check {
  return (value) => (value === result ? undefined : 'the result is not the expected one');
}

function checkQuantity(value: unknown): string | undefined {
  const isQuantity = typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value);
  return isQuantity ? undefined : 'the result is not a quantity';
}

/** Checks that the answer is the transaction or uncle with this hash. If `hash` is undefined, the answer must be null. */
function checkPart(hash: string | undefined): Check {
  return (value) => {
    if (hash === undefined)
      return value === null ? undefined : 'the result is not null, although the block does not list it';
    if (value === null) return 'the result is null, although the block lists it';
    const { hash: found } = Object(value) as { readonly hash?: unknown };
    return isSameText(found, hash) ? undefined : 'the result is not the one that the block lists';
  };
}

function checkReceiptList({ transactionHashes }: ReportedBlock): Check {
  return (value) => {
    if (value === null) return 'the result is null for a block that the node has';
    if (!Array.isArray(value)) return 'the answer is not a list';
    const hashes = value.map((receipt) => asText(Object(receipt).transactionHash).toLowerCase());
    const isComplete =
      hashes.length === transactionHashes.length && hashes.every((hash, i) => hash === transactionHashes[i]);
    return isComplete ? undefined : 'the receipts are not those of the block';
  };
}
