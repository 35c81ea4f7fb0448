import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { Verdict } from '../../pool/errors/verdict.ts';
import type { ReportedBlock } from '../../pool/heads/block.ts';
import { classifySupport } from './classify-support.ts';
import type { Support } from './examination.ts';
import type { NodeProbe } from './node-probe.ts';

/** Address of an account that exists on no chain. */
const ABSENT = '0x00000000000000000000000000000000d0c70000';
const CALL = { to: ABSENT, data: '0x' };

/** Kinds of errors that prove that a node has a method, if the method was called without parameters. */
const PARAMETER_VERDICTS: ReadonlySet<Verdict['kind']> = new Set<Verdict['kind']>([
  'invalid',
  'failed',
  'unknown',
]);

type Check = (value: unknown) => string | undefined;
type Probe = { readonly method: string; readonly params: readonly unknown[]; readonly check: Check };

/**
 * Tests the further read methods that a network of nodes serves by default.
 * @param latest block at which state is read
 * @param sample block with transactions, if there is a recent one
 * @param isServed whether the network serves a method: only served methods are tested
 */
export async function examineReads(
  requests: NodeProbe,
  latest: ReportedBlock,
  sample: ReportedBlock,
  isServed: (method: string) => boolean,
): Promise<Readonly<Record<string, Support>>> {
  const probes = listProbes(latest, sample).filter(({ method }) => isServed(method));
  const supports = await Promise.all(
    probes.map(async ({ method, params, check }): Promise<[string, Support]> => {
      const first = await requests.ask(method, params);
      // The first answer to a method can take long, for example because a node compiles or loads code for it.
      const isLate = first.kind === 'fault' && first.fault === 'timeout';
      return [method, classifySupport(isLate ? await requests.ask(method, params) : first, check)];
    }),
  );
  return Object.fromEntries(supports);
}

/** Tests whether the node has methods whose parameters are unknown: the methods are called without parameters. */
export async function examineNamed(
  requests: NodeProbe,
  names: readonly string[],
): Promise<Readonly<Record<string, Support>>> {
  const supports = await Promise.all(
    names.map(async (name): Promise<[string, Support]> => {
      const outcome = await requests.ask(name);
      const isKnown = outcome.kind === 'error' && PARAMETER_VERDICTS.has(outcome.verdict.kind);
      return [name, isKnown ? { state: 'yes' } : classifySupport(outcome, () => undefined)];
    }),
  );
  return Object.fromEntries(supports);
}

function listProbes(latest: ReportedBlock, sample: ReportedBlock): readonly Probe[] {
  const at = encodeQuantity(latest.number);
  const sampled = encodeQuantity(sample.number);
  const [hash] = sample.transactionHashes;
  const probe = (method: string, params: readonly unknown[], check: Check): Probe => {
    return { method, params, check };
  };
  return [
    probe('eth_getBalance', [ABSENT, at], checkHex),
    probe('eth_getCode', [ABSENT, at], checkHex),
    probe('eth_getStorageAt', [ABSENT, '0x0', at], checkHex),
    probe('eth_getTransactionCount', [ABSENT, at], checkHex),
    probe('eth_getProof', [ABSENT, [], at], checkList('accountProof')),
    probe('eth_getBlockByHash', [sample.hash, false], checkMember('hash', sample.hash)),
    ...(hash === undefined
      ? []
      : [
          probe('eth_getTransactionByHash', [hash], checkMember('hash', hash)),
          probe('eth_getTransactionReceipt', [hash], checkMember('transactionHash', hash)),
        ]),
    probe('eth_getLogs', [{ fromBlock: sampled, toBlock: sampled }], checkList()),
    ...(sample.blockAccessListHash === undefined
      ? []
      : [probe('eth_getBlockAccessList', [sample.hash], checkList())]),
    probe('eth_gasPrice', [], checkHex),
    probe('eth_maxPriorityFeePerGas', [], checkHex),
    probe('eth_feeHistory', ['0x1', at, []], checkList('gasUsedRatio')),
    probe('eth_createAccessList', [CALL, at], checkList('accessList')),
    probe('eth_simulateV1', [{ blockStateCalls: [{ calls: [CALL] }] }, at], checkList()),
  ];
}

function checkHex(value: unknown): string | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value) ? undefined : 'the result is not hex';
}

/** @param name member that must be a list; if absent, the result itself must be a list */
function checkList(name?: string): Check {
  return (value) => {
    const list: unknown = name === undefined ? value : Object(value)[name];
    return Array.isArray(list) ? undefined : 'the result is not the expected one';
  };
}

function checkMember(name: string, hash: string): Check {
  return (value) => {
    if (value === null) return 'the result is null, although a block lists it';
    const found: unknown = Object(value)[name];
    return String(found).toLowerCase() === hash ? undefined : `the result has another ${name}`;
  };
}
