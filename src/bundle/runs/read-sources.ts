import type { JsonResult, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError, type ChainErrorKind, UNSUPPORTED } from '../../chain/errors.ts';
import type { BlockTag } from '../../chain/requests.ts';
import { BundleError } from '../format.ts';
import { readResult, type Source } from '../request-block.ts';
import { describeHeader } from './evidence-chain.ts';
import type { ReadingOutcome, ReadingRequest } from './readings.ts';

/** Kinds of chain errors that are not a node's answer to the request. */
const ASIDE: ReadonlySet<ChainErrorKind> = new Set(['unavailable', 'busy', 'timeout', 'aborted']);
const LATEST = { kind: 'tag', tag: 'latest' } as const;

/** Creates a function that requests values without evidence from a source's nodes. */
export function createReader(source: Source): (question: ReadingRequest) => Promise<ReadingOutcome> {
  return async (question) => {
    try {
      return await ask(source, question);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      if (ASIDE.has(error.kind)) throw new BundleError(`the network is not available: ${error.message}`);
      return { error: { kind: error.kind, message: error.message } };
    }
  };
}

async function ask(
  { chain, l1, opNode, scope }: Source,
  { source, question }: ReadingRequest,
): Promise<ReadingOutcome> {
  const [kind, ...parameters] = question as readonly [string, ...unknown[]];
  switch (kind) {
    case 'header': {
      const blocks = source === 'l1' ? l1 : chain.blocks;
      if (blocks === undefined) throw new BundleError('no layer 1 is configured for the network');
      return {
        value: describeHeader(
          source,
          await blocks.getHeader({ kind: 'tag', tag: parameters[0] as BlockTag }, scope),
        ),
      };
    }
    case 'request': {
      const asked = source === 'opNode' ? opNode : chain;
      if (asked === undefined) throw new BundleError('no op-node is configured for the network');
      const [method, params] = parameters as [string, readonly unknown[]];
      const answer = await asked.request(method, params, scope);
      return answer === UNSUPPORTED ? { unsupported: true } : { value: await readResult(answer) };
    }
    case 'gasPrice':
      return readPrice(chain.fees.getGasPrice(scope));
    case 'priorityFee':
      return readPrice(chain.fees.getPriorityFee(scope));
    case 'feeHistory': {
      const [blockCount, percentiles] = parameters as [number, readonly number[]];
      return readPrice(chain.fees.getFeeHistory({ blockCount, newest: LATEST, percentiles }, scope));
    }
    default:
      throw new Error(`unknown kind of reading: ${kind}`);
  }
}

async function readPrice(asked: PromiseOrValue<JsonResult | JsonText | null>): Promise<ReadingOutcome> {
  const answer = await asked;
  return answer === null ? { unsupported: true } : { value: await readResult(answer) };
}
