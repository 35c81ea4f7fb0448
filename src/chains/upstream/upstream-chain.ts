import type { JsonResult, JsonStream, JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { continueWith, type PromiseOrValue } from '../../../packages/ethereum/primitives/promise-or-value.ts';
import { isTag } from '../../chain/block-reference.ts';
import type {
  BlockReads,
  Chain,
  Executions,
  FeeReads,
  HeadReads,
  LogReads,
  NodeReads,
  StateReads,
  TransactionReads,
} from '../../chain/chain.ts';
import { ChainError, UNSUPPORTED } from '../../chain/errors.ts';
import type { AnchoredChain } from '../../chain/output-claim.ts';
import type { BlockReference, CallRequest } from '../../chain/requests.ts';
import type { ChainFigures } from '../../observe/sources.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { NetworkChainId } from '../../pool/network-chain-id.ts';
import type { NodeCordons } from '../../pool/node-cordons.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { CallRequests } from './call-requests.ts';
import type { DevelopmentNode } from './development-node.ts';
import type { FeeRequests } from './fee-requests.ts';
import { followMoves, type Whereabouts } from './follow-moves.ts';
import type { ExecutionKind, LocalExecutions } from './local-executions.ts';
import type { LogRequests } from './log-requests.ts';
import type { NodeAnswers } from './node-answers.ts';
import type { PassedRequests } from './passed-requests.ts';
import type { SendingReads } from './sending/sending.ts';
import type { StatusRequests } from './status-requests.ts';
import { translateFaults } from './translate-faults.ts';

const HASH = /^0x[0-9a-f]{64}$/i;

/** Components of an upstream chain. */
export type UpstreamChainParts = {
  readonly chainId: Pick<NetworkChainId, 'value' | 'find'>;
  readonly calls: CallRequests;
  /** Executes calls locally; absent if nodes execute all calls. */
  readonly local?: LocalExecutions | undefined;
  readonly answers: NodeAnswers;
  readonly logs: LogRequests;
  readonly others: PassedRequests;
  readonly fees: FeeRequests;
  readonly status: StatusRequests;
  readonly heads: HeadReads;
  readonly sending: SendingReads;
  /** Node of a development network, for methods that change its chain; absent on other networks. */
  readonly development?: DevelopmentNode | undefined;
  /** Receives the output roots of the chain from layer 1; absent if layer 1 is not read. */
  readonly layer1?: AnchoredChain | undefined;
  readonly calibrated?: Promise<void> | undefined;
  readonly where: Whereabouts;
  readonly isAnswerable: () => boolean;
  /** Takes nodes out of service. */
  readonly nodes?: NodeCordons | undefined;
  readonly describe: () => ChainFigures;
  readonly close: () => Promise<void>;
};

/** A reader `T` whose methods always return promises. */
type Promised<T> = {
  readonly [K in keyof T]: T[K] extends (...parameters: infer P) => infer R
    ? (...parameters: P) => Promise<Awaited<R>>
    : never;
};

/** A chain that nodes serve. The methods of this chain send requests to the node pool, and convert UpstreamFaults to ChainErrors. */
export class UpstreamChain implements Chain {
  readonly blocks: BlockReads;
  readonly transactions: Promised<TransactionReads>;
  readonly logs: Promised<LogReads>;
  readonly state: StateReads;
  readonly execution: Executions;
  readonly fees: Promised<FeeReads>;
  readonly node: Promised<NodeReads>;
  readonly heads: HeadReads;
  readonly passOnce?: NonNullable<Chain['passOnce']>;
  readonly #parts: UpstreamChainParts;

  constructor(parts: UpstreamChainParts) {
    const { answers, calls, logs, fees, status, sending, where } = parts;
    this.heads = parts.heads;
    this.#parts = parts;
    const { development } = parts;
    if (development !== undefined)
      this.passOnce = async (method, params, scope) => {
        const answer = await development.ask(method, params, scope);
        return answer === UNSUPPORTED ? answer : translateFaults(answer);
      };
    const answerPieces = <T extends JsonResult | null>(
      block: BlockReference,
      ask: () => PromiseOrValue<T>,
    ): PromiseOrValue<T | JsonStream> => followMoves(ask, block.kind === 'tag', where, translateFaults<T>);
    this.blocks = answers.blocks;
    this.transactions = {
      getTransaction: (transaction, scope) =>
        'hash' in transaction
          ? sending.getTransaction(transaction.hash, scope)
          : answers.transactions.getTransaction(transaction, scope),
      getRawTransaction: async (transaction, scope) => {
        if ('hash' in transaction && (await sending.isHidden(transaction.hash, scope))) return null;
        return answers.transactions.getRawTransaction(transaction, scope);
      },
      getReceipt: (hash, scope) => sending.getReceipt(hash, scope),
      findWaiting: async (sender, nonce, scope) => sending.findWaiting(sender, nonce, scope),
      send: async (bytes, scope) => {
        await parts.chainId.find(scope);
        const hash = await sending.send(bytes, scope);
        await development?.followSend();
        return hash;
      },
    };
    this.logs = {
      getBlockLogs: (hash, scope) => followMoves(() => logs.getBlockLogs(hash, scope), false, where, passOn),
      getLogs: (filter, scope) =>
        followMoves(
          () => logs.getLogs(filter, scope),
          filter.blocks.kind === 'range',
          where,
          translateFaults,
        ),
    };
    this.state = {
      ...answers.state,
      getTransactionCount: (address, block, scope) =>
        continueWith(answers.state.getTransactionCount(address, block, scope), (count) =>
          sending.raiseCount(count, address, block, scope),
        ),
    };
    /** Executes a call locally if possible; otherwise, sends it to a node. */
    const execute = <T extends JsonResult>(
      kind: ExecutionKind,
      request: CallRequest,
      ask: () => PromiseOrValue<T>,
      scope: RequestScope,
    ): PromiseOrValue<T | JsonStream> => {
      const sendToNodes = () => answerPieces(request.block, ask);
      if (parts.local === undefined) return sendToNodes();
      const answered = parts.local.execute(kind, request, scope) as PromiseOrValue<T | undefined>;
      return continueWith(answered, (result) => result ?? sendToNodes());
    };
    const { executeFastPath } = parts.local ?? {};
    const doNodesExecute = parts.local === undefined || parts.local.executesNone === true;
    this.execution = {
      ...(executeFastPath !== undefined && { callFastPath: executeFastPath }),
      ...(doNodesExecute && { callMany: calls.callMany.bind(calls) }),
      call: (request, scope) => execute('call', request, () => calls.call(request, scope), scope),
      estimateGas: (request, scope) =>
        execute(
          'estimate',
          request,
          () => calls.estimateGas(request, scope),
          scope,
        ) as PromiseOrValue<JsonText>,
      createAccessList: (request, scope) =>
        execute('accessList', request, () => calls.createAccessList(request, scope), scope),
      simulate: (request, scope) => answerPieces(request.block, () => calls.simulate(request, scope)),
    };
    const answerAtHead = <T>(ask: () => Promise<T>): Promise<T> => followMoves(ask, true, where, passOn);
    this.fees = {
      getGasPrice: (scope) => answerAtHead(() => fees.getGasPrice(scope)),
      getPriorityFee: (scope) => answerAtHead(() => fees.getPriorityFee(scope)),
      getFeeHistory: (request, scope) =>
        followMoves(() => fees.getFeeHistory(request, scope), request.newest.kind === 'tag', where, passOn),
      getBaseFee: (scope) => answerAtHead(() => fees.getBaseFee(scope)),
      getBlobBaseFee: (scope) => answerAtHead(() => fees.getBlobBaseFee(scope)),
    };
    this.node = {
      getSyncing: (scope) => answerAtHead(() => status.getSyncing(scope)),
      getConfig: (scope) => answerAtHead(() => status.getConfig(scope)),
      getCapabilities: (scope) => answerAtHead(() => status.getCapabilities(scope)),
    };
  }

  get chainId(): bigint {
    return this.#parts.chainId.value;
  }

  findChainId(scope: RequestScope): PromiseOrValue<bigint> {
    return this.#parts.chainId.find(scope);
  }

  get isAnswerable(): boolean {
    return this.#parts.isAnswerable();
  }

  request(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): Promise<JsonResult | typeof UNSUPPORTED> {
    return this.#requestOther(method, params, scope, false);
  }

  pass(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
  ): Promise<JsonResult | typeof UNSUPPORTED> {
    return this.#requestOther(method, params, scope, true);
  }

  async #requestOther(
    method: string,
    params: readonly unknown[],
    scope: RequestScope,
    isPassed: boolean,
  ): Promise<JsonResult | typeof UNSUPPORTED> {
    const hashes = params.filter((param): param is string => typeof param === 'string' && HASH.test(param));
    for (const hash of hashes)
      if (await this.#parts.sending.isHidden(hash.toLowerCase(), scope))
        throw new ChainError('absent', 'transaction not found');
    const ask = (): Promise<JsonResult | typeof UNSUPPORTED> =>
      this.#parts.others.ask(method, params, scope, isPassed).catch((error: unknown) => {
        if (error instanceof UpstreamFault && error.kind === 'unsupported') return UNSUPPORTED;
        throw error;
      });
    return followMoves(ask, params.some(isTag), this.#parts.where, (answer) =>
      answer === UNSUPPORTED ? answer : translateFaults(answer),
    );
  }

  /** Resolves after the first calibration of verification with recent blocks, before which nothing is verified. */
  get calibrated(): Promise<void> | undefined {
    return this.#parts.calibrated;
  }

  /** Takes nodes out of service. */
  get nodes(): NodeCordons | undefined {
    return this.#parts.nodes;
  }

  /** Receives the output roots of the chain from layer 1; absent if layer 1 is not read. */
  get layer1(): AnchoredChain | undefined {
    return this.#parts.layer1;
  }

  /** Returns the figures for metrics and the status page. */
  describe(): ChainFigures {
    return this.#parts.describe();
  }

  close(): Promise<void> {
    return this.#parts.close();
  }
}

function passOn<T>(answer: T): T {
  return answer;
}
