import * as z from 'zod';
import { bytesToHex } from '../../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { Chain, HeaderView } from '../../chain/chain.ts';
import { ChainError, type ChainErrorParts, restoreChainError, UNSUPPORTED } from '../../chain/errors.ts';
import type { BlockReference, CallRequest } from '../../chain/requests.ts';
import { executeJob } from '../../chains/embedded/execution/execute-job.ts';
import { Simulator } from '../../chains/embedded/simulation/simulator.ts';
import { MissingState } from '../../chains/embedded/state/missing-state.ts';
import { BundleError, quantitySchema, type Reading } from '../format.ts';
import type { EvidenceBlock } from './evidence-block.ts';
import type { Readings } from './readings.ts';

/** Call that was executed on the evidence, and its outcome. The outcome is a MissingState if the evidence lacks state that the call reads. */
export type Executed = {
  readonly kind: 'call' | 'estimate';
  readonly request: CallRequest;
  readonly outcome: JsonText | ChainError | MissingState;
};

/** Gas cap of a call, in multiples of the block's gas limit, as on embedded chains. */
const GAS_CAP_FACTOR = 10n;

/**
 * Creates a chain with a single block. Answers of this chain come from evidence, or from readings (values without evidence) if no evidence is
 * possible. An execution throws MissingState if evidence is missing.
 * @param executed list to which each execution is added
 */
export function createEvidenceChain(block: EvidenceBlock, readings: Readings, executed: Executed[]): Chain {
  const { stored, config } = block;
  const { header } = stored;
  // Each run needs a new simulator, because EVMs cache their reads.
  const simulator = new Simulator(block);
  const execute = (kind: Executed['kind'], request: CallRequest): JsonText => {
    requireOwn(request.block, block);
    const { call, stateOverrides, blockOverrides } = request;
    const execution = executeJob(simulator, {
      kind,
      store: '',
      gasLimit: header.gasLimit * GAS_CAP_FACTOR,
      request: {
        blockNumber: header.number,
        isPending: false,
        call,
        ...(stateOverrides !== undefined && { stateOverrides }),
        ...(blockOverrides !== undefined && { blockOverrides }),
      },
    });
    try {
      let step = execution.next();
      while (step.done !== true) step = execution.next();
      const outcome = `"${typeof step.value === 'string' ? step.value : bytesToHex(step.value)}"`;
      executed.push({ kind, request, outcome });
      return outcome;
    } catch (error) {
      if (error instanceof ChainError || error instanceof MissingState)
        executed.push({ kind, request, outcome: error });
      throw error;
    }
  };
  const ask = (...question: readonly unknown[]): PromiseOrValue<unknown> =>
    continueWith(readings.read({ source: 'chain', question }), readValue);
  const requestText = (...question: readonly unknown[]): PromiseOrValue<JsonText | null> =>
    continueWith(ask(...question), (value) => (value === undefined ? null : JSON.stringify(value)));
  const request = createRequest('chain', readings);
  const parts: { readonly [K in keyof Chain]?: Partial<Chain[K]> } = {
    chainId: config.chainId,
    isAnswerable: true,
    blocks: {
      getHeader: (reference) =>
        isOwn(reference, block) ? viewOf(block) : readTagged('chain', readings, reference),
    },
    state: {
      getTransactionCount(address, reference) {
        requireOwn(reference, block);
        return `"${encodeQuantity(block.getNonce(address.toLowerCase()))}"`;
      },
    },
    execution: {
      call: (call) => execute('call', call),
      estimateGas: (call) => execute('estimate', call),
    },
    fees: {
      getGasPrice: () => requestText('gasPrice'),
      getPriorityFee: () => requestText('priorityFee'),
      getFeeHistory: ({ blockCount, percentiles }) => requestText('feeHistory', blockCount, percentiles),
    },
    request,
    close: async () => {},
  };
  return refuseOthers(parts, 'the chain') as Chain;
}

/** Creates the `request` function of a node, whose answers come from readings. */
export function createRequest(source: Reading['source'], readings: Readings): Chain['request'] {
  return (method, params) =>
    continueWith(readings.read({ source, question: ['request', method, params] }), (outcome) => {
      if ('unsupported' in outcome) return UNSUPPORTED;
      return JSON.stringify(readValue(outcome));
    });
}

/** Creates a layer 1 chain whose headers come from the readings (values without evidence) of a bundle. */
export function createL1(readings: Readings): Pick<Chain['blocks'], 'getHeader'> {
  return { getHeader: (reference) => readTagged('l1', readings, reference) };
}

/** Returns the value of a reading; undefined if the source does not support the request. @throws ChainError if the source answered with an error */
function readValue(outcome: Reading['outcome']): unknown {
  if ('error' in outcome) throw restoreChainError(outcome.error as ChainErrorParts);
  return 'value' in outcome ? outcome.value : undefined;
}

/**
 * Header as a bundle stores it without evidence; null if the block does not exist. The values are hex quantities. Layer 1 headers have a timestamp;
 * headers of the rollup itself have only a number, because rollup families read nothing else.
 */
type ToldHeader = { readonly number: string; readonly timestamp?: string } | null;

const reportedHeaderSchema: z.ZodType<ToldHeader> = z
  .strictObject({ number: quantitySchema, timestamp: quantitySchema.exactOptional() })
  .nullable();

function readTagged(
  source: Reading['source'],
  readings: Readings,
  reference: BlockReference,
): PromiseOrValue<HeaderView | null> {
  if (reference.kind !== 'tag') throw new BundleError('the answer needs a block other than its own');
  const outcome = readings.read({ source, question: ['header', reference.tag] });
  return continueWith(outcome, (found) => {
    const { success, data: header } = reportedHeaderSchema.safeParse(readValue(found));
    if (!success || (header !== null && (header.timestamp !== undefined) !== (source === 'l1')))
      throw new BundleError(`the reading of a header is malformed: ${JSON.stringify(found)}`);
    if (header === null) return null;
    const { number, timestamp } = header;
    const view = {
      number: BigInt(number),
      ...(timestamp !== undefined && { timestamp: BigInt(timestamp) }),
    };
    return refuseOthers(view, 'a reported header') as HeaderView;
  });
}

/** Converts a header to the form in which a bundle stores it without evidence. */
export function describeHeader(source: Reading['source'], header: HeaderView | null): ToldHeader {
  if (header === null) return null;
  const number = encodeQuantity(header.number);
  return source === 'l1' ? { number, timestamp: encodeQuantity(header.timestamp) } : { number };
}

function viewOf({ stored: { header, hashText } }: EvidenceBlock): HeaderView {
  const { number, timestamp, gasLimit, baseFeePerGas, extraData } = header;
  return {
    number,
    hash: hashText,
    timestamp,
    gasLimit,
    extraData: bytesToHex(extraData),
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
  };
}

/** Returns whether a reference selects this block. The tag `latest` selects the block, because the block was the head at the time of the request. */
function isOwn(reference: BlockReference, { stored }: EvidenceBlock): boolean {
  if (reference.kind === 'number') return reference.number === stored.header.number;
  return reference.kind === 'hash' ? reference.hash === stored.hashText : reference.tag === 'latest';
}

/** @throws BundleError if the reference selects another block */
function requireOwn(reference: BlockReference, block: EvidenceBlock): void {
  if (!isOwn(reference, block))
    throw new BundleError('the answer needs the state of a block other than its own');
}

/** Wraps an object such that reading a missing member throws a BundleError. */
function refuseOthers(parts: object, name: string): object {
  return new Proxy(parts, {
    get(target, member) {
      const part: unknown = Reflect.get(target, member);
      // `await` reads the member `then` of every object, so a missing `then` is no error.
      if (part === undefined && member !== 'then')
        throw new BundleError(`a bundle has no evidence for ${String(member)} of ${name}`);
      return typeof part === 'object' && part !== null ? refuseOthers(part, String(member)) : part;
    },
  });
}
