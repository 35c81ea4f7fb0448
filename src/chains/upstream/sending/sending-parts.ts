import type { RecoverPublicKey } from '../../../../packages/ethereum/primitives/signature.ts';
import type { HeadReads } from '../../../chain/chain.ts';
import type { EthereumBounds } from '../../../chain/sending/check-sent-transaction.ts';
import type { NetworkChainId } from '../../../pool/network-chain-id.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { Directed, Handler } from '../../../pool/upstream-request.ts';
import type { RecordTable } from '../../../shared-store/records/record-table.ts';
import type { BlockDirectory } from '../block-directory.ts';
import type { NodeAnswers } from '../node-answers.ts';
import type { SendSectionOptions } from './options.ts';
import type { SentTransactions } from './sent-transactions.ts';

/** EVM and cryptography functions for checking transactions. The functions are passed as parameters, because this module must not import them. */
export type SendingTools = {
  readonly recoverPublicKey: RecoverPublicKey;
  readonly measureGas: EthereumBounds['measureGas'];
};

export type SendingParts = {
  /** While the chain id is unknown, `value` throws a ChainError, and no transaction is sent. */
  readonly chainId: Pick<NetworkChainId, 'value'>;
  readonly isDevelopment: boolean;
  readonly upstreams: readonly Upstream[];
  readonly options: SendSectionOptions;
  readonly tools: SendingTools;
  /** Private relay, the only recipient of transactions; undefined if none is configured. */
  readonly relay: Upstream | undefined;
  /** Sends a request to one node, in the same way as the pool does. */
  readonly sendToNode: Handler<Directed>;
  /** Sent transactions; empty at first. */
  readonly sent: SentTransactions;
  /** Reads that nodes answer. */
  readonly answers: {
    readonly blocks: Pick<NodeAnswers['blocks'], 'getHeaderObject'>;
    readonly transactions: Omit<NodeAnswers['transactions'], 'getRawTransaction'>;
    readonly state: Pick<NodeAnswers['state'], 'getTransactionCount'>;
  };
  readonly heads: Pick<HeadReads, 'served' | 'watch'>;
  readonly directory: Pick<BlockDirectory, 'hashOf' | 'hasDeparted'>;
  /** Requests the current heads of all healthy nodes. Never rejects. */
  readonly refreshHeads: () => Promise<void>;
  /** Table in which processes share sent transactions; undefined if each process knows only its own. */
  readonly records: RecordTable | undefined;
};
