import {
  type AccessListItem,
  type Authorization,
  assembleTransaction,
  encodeSigningPayload,
  type Transaction,
  type TransactionBody,
  type TransactionType,
} from '../../packages/ethereum/codecs/transaction.ts';
import { concatBytes, EMPTY_BYTES } from '../../packages/ethereum/primitives/bytes.ts';
import { keccak256 } from '../../packages/ethereum/primitives/keccak.ts';
import { encodeRlp } from '../../packages/ethereum/primitives/rlp.ts';
import type { Account } from './accounts.ts';
import { signHash } from './secp256k1.ts';

/** An authorization (EIP-7702). By default the nonce is the authority's own at the head, and the chain id the chain's. */
export type AuthorizationPlan = {
  readonly authority: Account;
  readonly address: Uint8Array;
  readonly nonce?: bigint;
  readonly chainId?: bigint;
};

/** Prices in wei per unit. Types 0 and 1 pay `gasPrice`. */
export type Fees = {
  readonly gasPrice: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerBlobGas: bigint;
};

/** A transaction without the fields that its place on the chain determines. */
export type TransactionPlan = Partial<Fees> & {
  readonly from: Account;
  /** Transaction type, legacy by default. */
  readonly type?: TransactionType;
  /** Recipient; absent for a contract creation. */
  readonly to?: Uint8Array;
  readonly value?: bigint;
  readonly data?: Uint8Array;
  /** Gas limit; by default that of a transfer without data, 21,000. */
  readonly gasLimit?: bigint;
  readonly accessList?: readonly AccessListItem[];
  readonly blobVersionedHashes?: readonly Uint8Array[];
  readonly authorizations?: readonly AuthorizationPlan[];
  /** Signed as before EIP-155, without the chain id, although that fork is active. */
  readonly isUnprotected?: true;
  /** The receipt's status must be failure; by default it must be success. */
  readonly fails?: true;
};

/** Chain-dependent values that signing needs. */
export type SigningContext = {
  readonly chainId: bigint;
  readonly hasReplayProtection: boolean;
  readonly fees: Fees;
  readonly nonceOf: (account: Account) => bigint;
};

const TRANSFER_GAS = 21_000n;

function signAuthorization(
  { authority, address, nonce, chainId }: AuthorizationPlan,
  context: SigningContext,
): Authorization {
  const fields = { chainId: chainId ?? context.chainId, address, nonce: nonce ?? context.nonceOf(authority) };
  const payload = concatBytes(Uint8Array.of(5), encodeRlp([fields.chainId, address, fields.nonce]));
  return { ...fields, signature: signHash(keccak256(payload), authority.privateKey) };
}

/** Signs a planned transaction with this nonce. */
export function signTransaction(plan: TransactionPlan, nonce: bigint, context: SigningContext): Transaction {
  const { type = 0 } = plan;
  const fees = { ...context.fees, ...plan };
  const isPriced = type < 2;
  const isUnprotected = type === 0 && (plan.isUnprotected === true || !context.hasReplayProtection);
  const body: TransactionBody = {
    type,
    chainId: isUnprotected ? undefined : context.chainId,
    nonce,
    gasLimit: plan.gasLimit ?? TRANSFER_GAS,
    maxFeePerGas: isPriced ? fees.gasPrice : fees.maxFeePerGas,
    maxPriorityFeePerGas: isPriced ? fees.gasPrice : fees.maxPriorityFeePerGas,
    to: plan.to,
    value: plan.value ?? 0n,
    data: plan.data ?? EMPTY_BYTES,
    accessList: plan.accessList ?? [],
    maxFeePerBlobGas: type === 3 ? fees.maxFeePerBlobGas : 0n,
    blobVersionedHashes: plan.blobVersionedHashes ?? [],
    authorizationList: (plan.authorizations ?? []).map((entry) => signAuthorization(entry, context)),
  };
  return assembleTransaction(body, signHash(keccak256(encodeSigningPayload(body)), plan.from.privateKey));
}
