import type { NetworkStatus, ServiceStatus, TrafficSample } from '../../src/observe/status.ts';
import { computeVerdict } from '../../src/observe/verdict.ts';

/** Name that runs a script where a page treats it as markup. */
export const EVIL_NAME = '<img src=x onerror="window.evil=1">';

const EMBEDDED: NetworkStatus = {
  name: 'devnet',
  hosts: ['devnet.localhost'],
  source: 'embedded',
  chainId: '7337',
  head: {
    number: 61,
    hash: '0xda3e44ca319427b9b6fbf1cb6924a68b8c772bf4b16f40bd83f3bb85bfda06c7',
    timestamp: 1_700_000_765_000,
  },
  upstreams: [],
  subscriptions: { open: 0, sent: 0 },
  traffic: { at: 0, callsPerSecond: 12.4, errorsPerSecond: 0, p50: 0.21, p99: 2.4 },
};

function createUpstreamNetwork(at: number): NetworkStatus {
  const head = 23_415_882;
  return {
    name: 'mainnet',
    hosts: ['mainnet.localhost', '*.mainnet.example.org'],
    source: 'upstream',
    chainId: '1',
    head: {
      number: head,
      hash: '0x9f2b7c41d3e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f',
      timestamp: at - 7_000,
    },
    upstreams: [
      { name: 'node-a.example.org', state: 'up', head, lag: 0, latency: 18.4, errorRate: 0 },
      {
        name: EVIL_NAME,
        state: 'lagging',
        reason: 'behind',
        head: head - 4,
        lag: 4,
        latency: 61,
        errorRate: 0.004,
      },
      {
        name: 'hosted.example.com',
        state: 'down',
        reason: 'it fails too often (circuit breaker open)',
        latency: 812,
        errorRate: 0.62,
        spend: {
          credits: 3_600_000,
          from: Date.UTC(2026, 10, 1),
          until: Date.UTC(2026, 11, 1),
          budget: 30_000_000,
          per: 'month',
          remaining: 26_400_000,
          isUsedUp: false,
        },
      },
      { name: '127.0.0.1:8546', state: 'excluded', reason: 'another chain: 11155111' },
    ],
    blockTime: 12_000,
    verification: {
      isCalibrated: true,
      verified: ['header', 'transactions', 'receipts', 'withdrawals', 'state', 'place', 'members', 'from'],
      untested: ['uncles'],
      unverifiable: ['blobGas from block 23400000: a rule of its own'],
      trust: { proven: 812_340, agreed: 1_204, single: 90_332 },
    },
    subscriptions: { open: 204, sent: 18_230, lag: 3.2 },
    traffic: { at, callsPerSecond: 318, errorsPerSecond: 1.5, p50: 4.2, p99: 96 },
  };
}

/** Creates five minutes of traffic that look like a working day. */
function createTraffic(at: number): readonly TrafficSample[] {
  return Array.from({ length: 300 }, (_, i): TrafficSample => {
    const wave = 1 + 0.4 * Math.sin(i / 21) + 0.15 * Math.sin(i / 3.7);
    const burst = i > 190 && i < 206 ? 6 : 0;
    return {
      at: at - (299 - i) * 1_000,
      callsPerSecond: Math.round(300 * wave),
      errorsPerSecond: burst + (i % 17 === 0 ? 2 : 0),
      p50: 3.5 + wave,
      p99: 60 + 30 * wave + burst * 20,
    };
  });
}

/** Creates the status of a running service, with every kind of entry that the page can show. */
export function createStatus(at: number = Date.now()): ServiceStatus {
  const process = {
    connections: 41,
    webSockets: 7,
    inFlight: 12,
    queued: 3,
    eventLoopDelay: 1.8,
    isDraining: false,
  };
  const processes = [101, 102].map((pid) => ({
    pid,
    startedAt: at - 273_600_000,
    ...process,
    residentBytes: 214_000_000,
    heapBytes: 61_000_000,
  }));
  const networks = [
    EMBEDDED,
    createUpstreamNetwork(at),
    { ...EMBEDDED, name: 'rollup', hosts: ['rollup.localhost'], family: 'linea', chainId: '59337' },
  ];
  return {
    version: '0.1.0',
    at,
    startedAt: at - 273_600_000,
    verdict: computeVerdict({ at, processes, networks }),
    processes,
    networks,
    cache: { hits: 812_340, misses: 201_871, bytes: 48_200_000 },
    keys: [
      { id: 'k_7f3a91', name: 'wallet-backend', calls: 1_204_551, credits: 88_120_400, limited: 0 },
      { id: 'k_02cc4e', name: EVIL_NAME, calls: 90_332, credits: 7_226_560, limited: 412 },
      { id: 'demo', name: 'demo', calls: 311, credits: 9_870, limited: 0 },
    ],
    traffic: createTraffic(at),
    errors: [
      { at: at - 4_000, network: 'mainnet', method: 'eth_call', error: 'unavailable', count: 3 },
      {
        at: at - 61_000,
        network: 'mainnet',
        method: 'eth_getBlockReceipts',
        error: 'prunedHistory',
        count: 18,
      },
      { at: at - 610_000, network: 'rollup', method: 'l2_estimateGas', error: 'misconfigured', count: 1 },
    ],
  };
}
