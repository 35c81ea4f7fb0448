import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { SYSTEM_CONTRACTS, type SystemContract } from '../contracts/system-contracts.ts';
import { allocateAccounts } from './accounts.ts';

/** An account of a geth genesis file; values are hex with prefix. */
export type Allocation = {
  readonly balance: string;
  readonly nonce?: string;
  readonly code?: string;
  readonly storage?: Readonly<Record<string, string>>;
};

export type GenesisOptions = {
  readonly config: Readonly<Record<string, unknown>>;
  /** Fields of block 0 by geth's names, hex with prefix. */
  readonly header: Readonly<Record<string, string>>;
  /** Allocations beside the development accounts. */
  readonly allocations: Readonly<Record<string, Allocation>>;
};

/** Allocates a contract with nonce 1, where contracts begin since 2016 (EIP-161). */
export function allocateContract(code: Uint8Array | string, storage: Allocation['storage'] = {}): Allocation {
  return { balance: '0x0', nonce: '0x1', code: typeof code === 'string' ? code : bytesToHex(code), storage };
}

export function allocateSystemContracts(
  contracts: readonly SystemContract[] = SYSTEM_CONTRACTS,
): Record<string, Allocation> {
  return Object.fromEntries(
    contracts.map(({ address, code, storage }) => [address, allocateContract(code, storage)]),
  );
}

/** Renders the text of a geth genesis file. */
export function renderGenesis({ config, header, allocations }: GenesisOptions): string {
  const alloc = { ...allocateAccounts(), ...allocations };
  return `${JSON.stringify({ config, ...header, alloc }, null, 2)}\n`;
}
