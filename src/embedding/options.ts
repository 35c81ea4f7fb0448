import type { Interceptor } from '../gateway/intercepted-call.ts';

/**
 * A chain in the two files that `geth` writes, a genesis file and the blocks of `geth export`; or a development chain with accounts that have ether.
 */
export type ChainInput = GenesisInput | AccountsInput;

export type GenesisInput = {
  /** Path of a geth genesis file, or its contents. */
  readonly genesis: string | object;
  /** Path of a file of RLP blocks, gzipped or not, or its contents. Without it, the chain has only its genesis block. */
  readonly blocks?: string | Uint8Array;
};

export type AccountsInput = {
  /** Addresses that have 10,000 ether each in the genesis block, which is the only block. The chain id is 1337. */
  readonly accounts: readonly string[];
};

/** Input of `createGateway`. At most one of `nodes`, `chain` and `config` may be present. Without them, the development networks are served. */
export type GatewayInput = {
  /** URLs of nodes of one chain (http, https, ws, wss), served as the network `main`. */
  readonly nodes?: readonly string[];
  /** Chain that is imported, executed and served as the network `main`. */
  readonly chain?: ChainInput;
  /** Configuration with the names and values of a configuration file. */
  readonly config?: object;
  /** Folder of chains, keys and filters. By default, it is a temporary folder, which `close` removes. */
  readonly dataDir?: string;
  /** Address of `listen()`; by default 127.0.0.1 and a free port. */
  readonly host?: string;
  readonly port?: number;
  /** Functions that run before and after each call; the first interceptor is the outermost. */
  readonly interceptors?: readonly Interceptor[];
  /** Level of the log on stderr; `warn` by default. A section `log` of `config` overrides it. */
  readonly log?: 'silent' | 'error' | 'warn' | 'info' | 'debug';
};

/** Address of a gateway that listens. */
export type GatewayAddress = {
  readonly host: string;
  readonly port: number;
  /** Returns the URL for HTTP requests to the first or the named network. @param key by default `demo`, which works on loopback addresses only */
  url(network?: string, key?: string): string;
  /** Returns the URL for WebSockets to the first or the named network. */
  webSocketUrl(network?: string, key?: string): string;
};

/** Request of EIP-1193. */
export type ProviderRequest = { readonly method: string; readonly params?: readonly unknown[] | object };

/** Events of EIP-1193 that a provider emits, each with the type of its argument. */
export type ProviderEvents = {
  message: {
    readonly type: 'eth_subscription';
    readonly data: { readonly subscription: string; readonly result: unknown };
  };
  disconnect: Error & { readonly code: number };
};

/** EIP-1193 provider that calls the gateway within the process, without a port. */
export interface GatewayProvider {
  /**
   * Calls a method. Its parameters are JSON values.
   * @throws Error with `code` and `data` of the JSON-RPC error (by rejection)
   */
  request(request: ProviderRequest): Promise<unknown>;
  on<Name extends keyof ProviderEvents>(event: Name, listener: (value: ProviderEvents[Name]) => void): this;
  removeListener<Name extends keyof ProviderEvents>(
    event: Name,
    listener: (value: ProviderEvents[Name]) => void,
  ): this;
}

/** A gateway in this process. */
export interface EmbeddedGateway {
  /** Names of the networks, in the order of the configuration. */
  readonly networks: readonly string[];
  /** Accepts requests over HTTP and WebSocket. @throws Error if the port is in use (by rejection) */
  listen(): Promise<GatewayAddress>;
  /** Returns a provider for a network, by default the first. @throws RangeError for an unknown network */
  provider(network?: string): GatewayProvider;
  /** Ends running requests, subscriptions and the listener, and removes a temporary folder. */
  close(): Promise<void>;
}
