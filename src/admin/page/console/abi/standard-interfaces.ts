import type { ContractInterface } from './contract-interface.ts';
import { parseInterface } from './parse-interface.ts';

type Standard = {
  readonly name: string;
  readonly signatures: string;
  /** Address at which the contract is deployed on most networks. */
  readonly address?: string;
};

/** Interfaces by their EIPs: ERC-20, ERC-721 and ERC-1155 with the errors of ERC-6093, and Multicall3 (mds1/multicall3). */
const STANDARDS: readonly Standard[] = [
  {
    name: 'ERC-20',
    signatures: `
      function name() view returns (string)
      function symbol() view returns (string)
      function decimals() view returns (uint8)
      function totalSupply() view returns (uint256)
      function balanceOf(address owner) view returns (uint256)
      function allowance(address owner, address spender) view returns (uint256)
      function transfer(address to, uint256 value) returns (bool)
      function approve(address spender, uint256 value) returns (bool)
      function transferFrom(address from, address to, uint256 value) returns (bool)
      event Transfer(address indexed from, address indexed to, uint256 value)
      event Approval(address indexed owner, address indexed spender, uint256 value)
      error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
      error ERC20InvalidSender(address sender)
      error ERC20InvalidReceiver(address receiver)
      error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
      error ERC20InvalidApprover(address approver)
      error ERC20InvalidSpender(address spender)`,
  },
  {
    name: 'ERC-721',
    signatures: `
      function name() view returns (string)
      function symbol() view returns (string)
      function tokenURI(uint256 tokenId) view returns (string)
      function balanceOf(address owner) view returns (uint256)
      function ownerOf(uint256 tokenId) view returns (address)
      function getApproved(uint256 tokenId) view returns (address)
      function isApprovedForAll(address owner, address operator) view returns (bool)
      function supportsInterface(bytes4 interfaceId) view returns (bool)
      function approve(address to, uint256 tokenId)
      function setApprovalForAll(address operator, bool approved)
      function transferFrom(address from, address to, uint256 tokenId)
      function safeTransferFrom(address from, address to, uint256 tokenId)
      function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)
      event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)
      event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)
      event ApprovalForAll(address indexed owner, address indexed operator, bool approved)
      error ERC721InvalidOwner(address owner)
      error ERC721NonexistentToken(uint256 tokenId)
      error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)
      error ERC721InvalidSender(address sender)
      error ERC721InvalidReceiver(address receiver)
      error ERC721InsufficientApproval(address operator, uint256 tokenId)
      error ERC721InvalidApprover(address approver)
      error ERC721InvalidOperator(address operator)`,
  },
  {
    name: 'ERC-1155',
    signatures: `
      function uri(uint256 id) view returns (string)
      function balanceOf(address account, uint256 id) view returns (uint256)
      function balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])
      function isApprovedForAll(address account, address operator) view returns (bool)
      function supportsInterface(bytes4 interfaceId) view returns (bool)
      function setApprovalForAll(address operator, bool approved)
      function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes data)
      function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] values, bytes data)
      event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)
      event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)
      event ApprovalForAll(address indexed account, address indexed operator, bool approved)
      event URI(string value, uint256 indexed id)
      error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)
      error ERC1155InvalidSender(address sender)
      error ERC1155InvalidReceiver(address receiver)
      error ERC1155MissingApprovalForAll(address operator, address owner)
      error ERC1155InvalidApprover(address approver)
      error ERC1155InvalidOperator(address operator)
      error ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength)`,
  },
  {
    name: 'Multicall3',
    address: '0xca11bde05977b3631167028862be2a173976ca11',
    signatures: `
      function aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)
      function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)
      function aggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes[] returnData)
      function blockAndAggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)
      function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)
      function tryBlockAndAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)
      function getBasefee() view returns (uint256 basefee)
      function getBlockHash(uint256 blockNumber) view returns (bytes32 blockHash)
      function getBlockNumber() view returns (uint256 blockNumber)
      function getChainId() view returns (uint256 chainid)
      function getCurrentBlockCoinbase() view returns (address coinbase)
      function getCurrentBlockGasLimit() view returns (uint256 gaslimit)
      function getCurrentBlockTimestamp() view returns (uint256 timestamp)
      function getEthBalance(address addr) view returns (uint256 balance)
      function getLastBlockHash() view returns (bytes32 blockHash)`,
  },
];

/** Names of the built-in interfaces. */
export const STANDARD_NAMES: readonly string[] = STANDARDS.map(({ name }) => name);

/** Returns the usual address of a built-in interface's contract; undefined if each contract has its own. */
export function findUsualAddress(name: string): string | undefined {
  return STANDARDS.find((standard) => standard.name === name)?.address;
}

const parsed = new Map<string, ContractInterface>();

/** @throws TypeError for a name that is not in `STANDARD_NAMES` */
export function readStandardInterface(name: string): ContractInterface {
  const signatures = STANDARDS.find((standard) => standard.name === name)?.signatures;
  if (signatures === undefined) throw new TypeError(`there is no built-in interface ${name}`);
  const found = parsed.get(name) ?? parseInterface(signatures);
  parsed.set(name, found);
  return found;
}
