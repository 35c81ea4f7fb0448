/** Values, hashes, tries and codecs of Ethereum, in Node and in browsers. */
export { type Block, type Body, decodeBlock, encodeBlock, type Withdrawal } from './codecs/block.ts';
export {
  type BlockAccessList,
  decodeBlockAccessList,
  encodeBlockAccessList,
} from './codecs/block-access-list.ts';
export { activeForks, type ChainConfig, type ForkName, parseChainConfig } from './codecs/chain-config.ts';
export { encodeHeader, type Header, hashHeader, headerFromRlp } from './codecs/header.ts';
export { computeLogsBloom, encodeReceipt, type Log, type Receipt } from './codecs/receipt.ts';
export {
  type AccessListItem,
  type Authorization,
  assembleTransaction,
  decodeTransaction,
  effectiveGasPrice,
  encodeSigningPayload,
  hashTransaction,
  recoverSender,
  type Transaction,
  type TransactionBody,
} from './codecs/transaction.ts';
export { type AccountLeaf, decodeAccountLeaf } from './primitives/account-leaf.ts';
export { checksumAddress, create2Address, createAddress, ZERO_ADDRESS } from './primitives/address.ts';
export { addToBloom } from './primitives/bloom.ts';
export { bigIntToBytes, bytesEqual, bytesToBigInt, concatBytes, padLeft } from './primitives/bytes.ts';
export { bytesToHex, hexToBytes } from './primitives/hex.ts';
export { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from './primitives/keccak.ts';
export { readProof } from './primitives/merkle-proof.ts';
export { MerkleTrie } from './primitives/merkle-trie.ts';
export { computeOrderedRoot } from './primitives/ordered-root.ts';
export { encodeQuantity, parseQuantity } from './primitives/quantity.ts';
export { recoverPublicKey } from './primitives/recover-public-key.ts';
export { decodeRevertReason } from './primitives/revert-reason.ts';
export { decodeRlp, encodeRlp, type RlpInput, type RlpItem } from './primitives/rlp.ts';
export { type RecoverPublicKey, recoverAddress, type Signature } from './primitives/signature.ts';
