/** The state test format of ethereum/tests and execution-spec-tests, in the parts that the runner reads. */
import type { StateJson } from './flat-state.ts';

export type AccessListJson = readonly { readonly address: string; readonly storageKeys: readonly string[] }[];

export type AuthorizationJson = {
  readonly chainId: string;
  readonly address: string;
  readonly nonce: string;
  readonly yParity?: string;
  readonly v: string;
  readonly r: string;
  readonly s: string;
};

/** `data`, `gasLimit`, `value` and `accessLists` list alternatives; a post's indexes choose. */
export type TransactionJson = {
  readonly nonce: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly maxFeePerBlobGas?: string;
  readonly gasLimit: readonly string[];
  /** Empty for a creation. */
  readonly to: string;
  readonly value: readonly string[];
  readonly data: readonly string[];
  readonly accessLists?: readonly (AccessListJson | null)[];
  readonly blobVersionedHashes?: readonly string[];
  readonly authorizationList?: readonly AuthorizationJson[];
  readonly sender?: string;
  readonly secretKey: string;
};

export type Indexes = { readonly data: number; readonly gas: number; readonly value: number };

export type PostJson = {
  /** State root afterwards. */
  readonly hash: string;
  /** Keccak of the RLP of the logs. */
  readonly logs: string;
  readonly txbytes?: string;
  readonly indexes: Indexes;
  readonly state?: StateJson;
  readonly expectException?: string;
};

export type EnvironmentJson = {
  readonly currentCoinbase: string;
  readonly currentGasLimit: string;
  readonly currentNumber: string;
  readonly currentTimestamp: string;
  readonly currentDifficulty?: string;
  readonly currentRandom?: string;
  readonly currentBaseFee?: string;
  readonly currentExcessBlobGas?: string;
};

export type BlobParametersJson = {
  readonly target: string;
  readonly max: string;
  readonly baseFeeUpdateFraction: string;
};

export type StateTestJson = {
  readonly env: EnvironmentJson;
  readonly pre: StateJson;
  readonly transaction: TransactionJson;
  readonly post: Readonly<Record<string, readonly PostJson[]>>;
  readonly config?: {
    readonly chainid?: string;
    readonly blobSchedule?: Readonly<Record<string, BlobParametersJson>>;
  };
};

/** A file: tests by name. */
export type StateTestFileJson = Readonly<Record<string, StateTestJson>>;
