/** A contract that the protocol itself calls, as its EIP defines it: address, bytecode, initial storage. */
import { hexToBytes } from '../../packages/ethereum/primitives/hex.ts';

export type SystemContract = {
  readonly address: string;
  /** Hex with prefix. */
  readonly code: string;
  readonly storage: Readonly<Record<string, string>>;
};

/** Slot 0 makes the contract refuse requests until the first system call removes this value (EIP-7002, EIP-7251). */
const EXCESS_INHIBITOR: Readonly<Record<string, string>> = { '0x0': `0x${'f'.repeat(64)}` };

/** Parent beacon block roots by timestamp (EIP-4788). */
const BEACON_ROOTS: SystemContract = {
  address: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
  code: joinHex(`
    3373fffffffffffffffffffffffffffffffffffffffe14604d57602036146024575f5ffd5b5f35801560495762001fff
    810690815414603c575f5ffd5b62001fff01545f5260205ff35b5f5ffd5b62001fff42064281555f359062001fff0155
    00
  `),
  storage: {},
};

/** Hashes of the last 8,191 blocks (EIP-2935). */
const HISTORY: SystemContract = {
  address: '0x0000f90827f1c53a10cb7a02335b175320002935',
  code: joinHex(`
    3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81
    430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500
  `),
  storage: {},
};

/** Withdrawals that the execution layer requests (EIP-7002). */
const WITHDRAWAL_REQUESTS: SystemContract = {
  address: '0x00000961ef480eb55e80d19ad83579a64c007002',
  code: joinHex(`
    3373fffffffffffffffffffffffffffffffffffffffe1460cb5760115f54807fffffffffffffffffffffffffffffffff
    ffffffffffffffffffffffffffffffff146101f457600182026001905f5b5f8211156068578101908302848302900491
    6001019190604d565b909390049250505036603814608857366101f457346101f4575f5260205ff35b34106101f45760
    0154600101600155600354806003026004013381556001015f35815560010160203590553360601b5f5260385f601437
    604c5fa0600101600355005b6003546002548082038060101160df575060105b5f5b8181146101835782810160030260
    040181604c02815460601b8152601401816001015481526020019060020154807fffffffffffffffffffffffffffffff
    ff00000000000000000000000000000000168252906010019060401c908160381c81600701538160301c816006015381
    60281c81600501538160201c81600401538160181c81600301538160101c81600201538160081c816001015353600101
    60e1565b910180921461019557906002556101a0565b90505f6002555f6003555b5f54807fffffffffffffffffffffff
    ffffffffffffffffffffffffffffffffffffffffff14156101cd57505f5b6001546002828201116101e25750505f6101
    e8565b01600290035b5f555f600155604c025ff35b5f5ffd
  `),
  storage: EXCESS_INHIBITOR,
};

/** Consolidations that the execution layer requests (EIP-7251). */
const CONSOLIDATION_REQUESTS: SystemContract = {
  address: '0x0000bbddc7ce488642fb579f8b00f3a590007251',
  code: joinHex(`
    3373fffffffffffffffffffffffffffffffffffffffe1460d35760115f54807fffffffffffffffffffffffffffffffff
    ffffffffffffffffffffffffffffffff1461019a57600182026001905f5b5f8211156068578101908302848302900491
    6001019190604d565b9093900492505050366060146088573661019a573461019a575f5260205ff35b341061019a5760
    0154600101600155600354806004026004013381556001015f358155600101602035815560010160403590553360601b
    5f5260605f60143760745fa0600101600355005b6003546002548082038060021160e7575060025b5f5b818114610129
    5782810160040260040181607402815460601b8152601401816001015481526020018160020154815260200190600301
    54905260010160e9565b910180921461013b5790600255610146565b90505f6002555f6003555b5f54807fffffffffff
    ffffffffffffffffffffffffffffffffffffffffffffffffffffff141561017357505f5b600154600182820111610188
    5750505f61018e565b01600190035b5f555f6001556074025ff35b5f5ffd
  `),
  storage: EXCESS_INHIBITOR,
};

function joinHex(rows: string): string {
  return `0x${rows.replace(/\s/g, '')}`;
}

export const SYSTEM_CONTRACTS: readonly SystemContract[] = [
  BEACON_ROOTS,
  HISTORY,
  WITHDRAWAL_REQUESTS,
  CONSOLIDATION_REQUESTS,
];

export const BEACON_ROOTS_ADDRESS: Uint8Array = hexToBytes(BEACON_ROOTS.address);
export const HISTORY_ADDRESS: Uint8Array = hexToBytes(HISTORY.address);
export const WITHDRAWAL_REQUESTS_ADDRESS: Uint8Array = hexToBytes(WITHDRAWAL_REQUESTS.address);
export const CONSOLIDATION_REQUESTS_ADDRESS: Uint8Array = hexToBytes(CONSOLIDATION_REQUESTS.address);
