/** Wallets of ethers and viem that send transfers and wait for them, with checks of their responses. */
import { JsonRpcProvider, Network, type Provider, Wallet, WebSocketProvider } from 'ethers';
import { createPublicClient, createWalletClient, custom, defineChain, type Hex, http, webSocket } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const CHAIN_ID = 1337;
const POLL_MS = 100;
const WAIT_MS = 60_000;
const GWEI = 10n ** 9n;
/** Transfers that a wallet sends before it waits for them. */
export const BURST = 5;

export type WalletKind = 'ethers, HTTP' | 'ethers, WebSocket' | 'viem, HTTP' | 'viem, WebSocket';
export const WALLET_KINDS: readonly WalletKind[] = [
  'ethers, HTTP',
  'ethers, WebSocket',
  'viem, HTTP',
  'viem, WebSocket',
];

/** Faults, with the number of mined transfers. */
export class Observations {
  readonly faults: string[] = [];
  mined = 0;
  readonly #receipts = new Set<string>();

  /** Checks a response that a library received. */
  watch(kind: string, method: string, params: readonly unknown[], result: unknown): void {
    if (method !== 'eth_getTransactionReceipt') return;
    const hash = String(params[0]);
    if (result !== null && result !== undefined) this.#receipts.add(hash);
    else if (this.#receipts.has(hash)) this.faults.push(`${kind}: no receipt of ${hash} after one was given`);
  }

  expect(isCorrect: boolean, what: string): void {
    if (!isCorrect) this.faults.push(what);
  }
}

export type Sender = {
  readonly kind: WalletKind;
  /** Sends `count` transfers in bursts, and waits for each burst. */
  run(count: number): Promise<void>;
  close(): Promise<void>;
};

/** Operations of a library for one wallet. */
type Library = {
  /** @param value distinguishes the transfer, wei */
  send(value: bigint): Promise<Hex>;
  waitFor(hash: Hex): Promise<{ readonly succeeded: boolean }>;
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
  close(): Promise<void>;
};

export function createSender(
  kind: WalletKind,
  key: Hex,
  authority: string,
  path: string,
  seen: Observations,
): Sender {
  const isHttp = kind.endsWith('HTTP');
  const url = isHttp ? `http://${authority}${path}` : `ws://${authority}/ws${path}`;
  const library = kind.startsWith('ethers')
    ? openEthers(kind, key, url, seen)
    : openViem(kind, key, url, seen);
  const address = privateKeyToAccount(key).address;
  const countOf = async (tag: string): Promise<number> =>
    Number(await library.ask('eth_getTransactionCount', [address, tag]));
  return {
    kind,
    close: () => library.close(),
    async run(count) {
      for (let sent = 0; sent < count; sent += BURST) {
        const hashes: Hex[] = [];
        for (let at = sent; at < Math.min(count, sent + BURST); at++) {
          const hash = await library.send(BigInt(at + 1));
          hashes.push(hash);
          const found = await library.ask('eth_getTransactionByHash', [hash]);
          seen.expect(found !== null, `${kind}: transaction ${hash} is not known after it was sent`);
          const pending = await countOf('pending');
          seen.expect(pending > at, `${kind}: pending count ${pending} after ${at + 1} transfers`);
        }
        for (const hash of hashes) {
          const { succeeded } = await library.waitFor(hash);
          seen.expect(succeeded, `${kind}: ${hash} failed`);
          seen.mined++;
          await library.ask('eth_getTransactionReceipt', [hash]);
        }
        const latest = await countOf('latest');
        const due = sent + hashes.length;
        seen.expect(latest >= due, `${kind}: latest count ${latest} after ${due} receipts`);
      }
    },
  };
}

function watchProvider<T extends JsonRpcProvider | WebSocketProvider>(
  kind: string,
  provider: T,
  seen: Observations,
): T {
  const send = provider.send.bind(provider);
  provider.send = async (method, params) => {
    const result = await send(method, params);
    seen.watch(kind, method, params as readonly unknown[], result);
    return result;
  };
  return provider;
}

function openEthers(kind: string, key: Hex, url: string, seen: Observations): Library {
  const network = Network.from(CHAIN_ID);
  // Otherwise ethers caches transaction counts for 250 ms, and assigns two transfers the same nonce.
  const options = { staticNetwork: network, pollingInterval: POLL_MS, cacheTimeout: -1 };
  const provider = url.startsWith('http')
    ? new JsonRpcProvider(url, network, options)
    : new WebSocketProvider(url, network, options);
  watchProvider(kind, provider, seen);
  const wallet = new Wallet(key, provider satisfies Provider);
  const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
  return {
    async send(value) {
      return (await wallet.sendTransaction({ to: wallet.address, value, ...fees })).hash as Hex;
    },
    async waitFor(hash) {
      const receipt = await provider.waitForTransaction(hash, 1, WAIT_MS);
      return { succeeded: receipt?.status === 1 };
    },
    ask: (method, params) => provider.send(method, [...params]),
    async close() {
      // ethers rejects an `eth_unsubscribe` that is under way when the provider is destroyed, and nobody handles that: answers come in order.
      await provider.send('net_version', []);
      await provider.destroy();
    },
  };
}

function openViem(kind: string, key: Hex, url: string, seen: Observations): Library {
  const chain = defineChain({
    id: CHAIN_ID,
    name: 'sends',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  // viem shares one connection per URL.
  const own = `${url}?wallet=${key.slice(-4)}`;
  const inner = (url.startsWith('http') ? http(url) : webSocket(own))({ chain });
  const transport = custom({
    async request({ method, params }: { method: string; params?: readonly unknown[] }) {
      const result = await inner.request({ method, params } as never);
      seen.watch(kind, method, params ?? [], result);
      return result;
    },
  });
  const account = privateKeyToAccount(key);
  const wallet = createWalletClient({ account, chain, transport });
  const client = createPublicClient({ chain, transport, pollingInterval: POLL_MS });
  const fees = { maxFeePerGas: 10n * GWEI, maxPriorityFeePerGas: GWEI };
  return {
    send: (value) => wallet.sendTransaction({ to: account.address, value, ...fees }),
    async waitFor(hash) {
      const receipt = await client.waitForTransactionReceipt({ hash, timeout: WAIT_MS });
      return { succeeded: receipt.status === 'success' };
    },
    ask: (method, params) => client.request({ method, params } as never),
    async close() {
      const value = inner.value as { getRpcClient?(): Promise<{ close(): void }> } | undefined;
      (await value?.getRpcClient?.())?.close();
    },
  };
}
