/** forge's tests on a fork: read balances, code, storage, hashes and logs, roll back to blocks, execute a call and a transaction of the chain. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installFromNpm, runTool, type Tool } from './tool.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
interface Vm {
  struct EthGetLogs { address emitter; bytes32[] topics; bytes data; bytes32 blockHash; uint64 blockNumber; bytes32 transactionHash; uint64 transactionIndex; uint256 logIndex; bool removed; }
  function envAddress(string calldata) external returns (address);
  function envUint(string calldata) external returns (uint256);
  function eth_getLogs(uint256, uint256, address, bytes32[] memory) external returns (EthGetLogs[] memory);
  function createSelectFork(string calldata, uint256) external returns (uint256);
  function rollFork(uint256) external;
  function rollFork(bytes32) external;
  function transact(bytes32) external;
  function load(address, bytes32) external returns (bytes32);
}
contract ForkTest {
  Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
  event Seen(string what, bytes value);
  function note(string memory what, bytes memory value) internal { emit Seen(what, value); }
  function test_state() public {
    address c = vm.envAddress("CONTRACT");
    note("block", abi.encode(block.number, block.chainid, block.basefee, block.gaslimit, block.coinbase));
    note("balances", abi.encode(address(0x7777777777777777777777777777777777777777).balance, c.balance));
    note("code", c.code);
    note("hash", abi.encode(c.codehash, blockhash(block.number - 1)));
    note("storage", abi.encode(vm.load(c, bytes32(0))));
  }
  function test_logs() public {
    Vm.EthGetLogs[] memory logs = vm.eth_getLogs(1, vm.envUint("HEAD"), vm.envAddress("CONTRACT"), new bytes32[](0));
    require(logs.length > 0, "no logs");
    note("logs", abi.encode(logs));
  }
  function test_call() public {
    (bool ok, bytes memory out) = vm.envAddress("CONTRACT").call(abi.encodeWithSignature("log1(uint256,bytes32)", 9, bytes32(uint256(1))));
    require(ok); note("called", out);
  }
  function test_transaction() public {
    Vm.EthGetLogs[] memory logs = vm.eth_getLogs(1, vm.envUint("HEAD"), vm.envAddress("CONTRACT"), new bytes32[](0));
    bytes32 hash = logs[logs.length - 1].transactionHash;
    vm.createSelectFork("tested", vm.envUint("HEAD"));
    vm.rollFork(hash);
    note("before", abi.encode(block.number, block.timestamp));
    vm.transact(hash);
  }
  function test_roll() public {
    vm.createSelectFork("tested", vm.envUint("HEAD"));
    uint256 head = vm.envUint("HEAD");
    for (uint256 n = 0; n <= head; n++) {
      vm.rollFork(n);
      note("rolled", abi.encode(block.number, address(0x7777777777777777777777777777777777777777).balance, vm.envAddress("CONTRACT").code.length));
    }
  }
}
`;
// Wraps the npm package solc as a program with forge's compiler options, because forge would download another compiler.
const COMPILER = `#!/usr/bin/env node
const { readFileSync } = require('node:fs');
const solc = require('./node_modules/solc');
process.stdout.write(process.argv[2] === '--version' ? 'Version: ' + solc.version() + '\\n' : solc.compile(readFileSync(0, 'utf8')));
`;
const CONFIG = `[profile.default]
solc = './solc.cjs'
offline = true
# What it keeps of a fork would answer for the service what it asked the bare node.
no_storage_caching = true
[rpc_endpoints]
`;
/** Matches lines that differ between equal runs: they contain times, or their order varies. */
const VARYING = /finished in|tests? passed/;

export const FORGE: Tool = {
  name: 'forge',
  does: 'balances, code, storage, hashes and logs of a fork at every block, a call, and a transaction of the chain executed again',
  nodes: ['anvil', 'geth', 'embedded'],
  install: (folder) => installFromNpm(folder, ['@foundry-rs/forge', 'solc']),
  async run({ url, contract, head }, folder) {
    for (const name of ['cache', 'out']) rmSync(join(folder, name), { recursive: true, force: true });
    mkdirSync(join(folder, 'test'), { recursive: true });
    writeFileSync(join(folder, 'foundry.toml'), `${CONFIG}tested = '${url}'\n`);
    writeFileSync(join(folder, 'solc.cjs'), COMPILER, { mode: 0o755 });
    writeFileSync(join(folder, 'test/Fork.t.sol'), SOURCE);
    // The launcher of the package does not forward signals.
    const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
    const program = `node_modules/@foundry-rs/forge-${process.platform}-${architecture}/bin/forge`;
    const args = [
      'test',
      '--fork-url',
      url,
      '--fork-block-number',
      String(head),
      '-vvvv',
      '--color',
      'never',
    ];
    const environment = { CONTRACT: contract, HEAD: String(head) };
    const printed = await runTool(folder, join(folder, program), args, undefined, environment);
    return printed
      .split('\n')
      .filter((line) => !VARYING.test(line))
      .join('\n');
  },
};
