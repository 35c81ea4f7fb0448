/** OpenZeppelin's upgrades for hardhat 3: deploys proxies of each kind, refuses changed layouts, upgrades implementations, imports a proxy. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runHardhat, writeHardhatConfig } from './hardhat-project.ts';
import { installNode22 } from './installed-node.ts';
import { installFromNpm, type Tool } from './tool.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;
import {Initializable} from "@openzeppelin/contracts-upgradeable/proxy/utils/Initializable.sol";
import {OwnableUpgradeable} from "@openzeppelin/contracts-upgradeable/access/OwnableUpgradeable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
contract Box is Initializable {
  uint256 public value;
  function initialize(uint256 first) public initializer { value = first; }
  function store(uint256 next) public { value = next; }
}
contract BoxV2 is Box {
  function increment() public { value += 1; }
}
contract Broken is Initializable {
  address public owner;
  uint256 public value;
}
contract Vault is Initializable, OwnableUpgradeable, UUPSUpgradeable {
  uint256 public value;
  function initialize(address owner, uint256 first) public initializer { __Ownable_init(owner); value = first; }
  function _authorizeUpgrade(address) internal override onlyOwner {}
}
contract VaultV2 is Vault {
  function double() public { value *= 2; }
}
`;
const SCRIPT = `import hre from 'hardhat';
import { upgrades } from '@openzeppelin/hardhat-upgrades';
const connection = await hre.network.create();
const { ethers } = connection;
const api = await upgrades(hre, connection);
const [signer] = await ethers.getSigners();
const note = (what, ...values) => console.log(what, ...values.map(String));
for (const [kind, first, second, args, move] of [
  ['transparent', 'Box', 'BoxV2', [42n], 'increment'],
  ['uups', 'Vault', 'VaultV2', [signer.address, 21n], 'double'],
]) {
  const proxy = await api.deployProxy(await ethers.getContractFactory(first), args, { kind });
  await proxy.waitForDeployment();
  const address = await proxy.getAddress();
  note(kind, address, await api.erc1967.getImplementationAddress(address), await api.erc1967.getAdminAddress(address), await proxy.value());
  note('refused', await api.upgradeProxy(address, await ethers.getContractFactory('Broken')).catch(({ message }) => message.split('\\n').slice(0, 3).join(' | ')));
  const next = await ethers.getContractFactory(second);
  const upgraded = await api.upgradeProxy(address, next);
  // The code at a proxy's address is there before the upgrade is.
  await upgraded.deployTransaction.wait();
  const receipt = await (await upgraded[move]()).wait();
  note('upgraded', await upgraded.getAddress(), await api.erc1967.getImplementationAddress(address), await upgraded.value(), receipt.status, receipt.gasUsed);
}
const beacon = await api.deployBeacon(await ethers.getContractFactory('Box'));
await beacon.waitForDeployment();
const one = await api.deployBeaconProxy(beacon, await ethers.getContractFactory('Box'), [7n]);
await one.waitForDeployment();
note('beacon', await beacon.getAddress(), await one.getAddress(), await one.value());
const moved = await api.upgradeBeacon(beacon, await ethers.getContractFactory('BoxV2'));
await moved.deployTransaction.wait();
note('upgraded', await api.beacon.getImplementationAddress(await beacon.getAddress()), await (await ethers.getContractAt('BoxV2', await one.getAddress())).value());
const imported = await api.forceImport(await one.getAddress(), await ethers.getContractFactory('BoxV2'));
note('imported', await imported.getAddress());
`;

export const OPENZEPPELIN_UPGRADES: Tool = {
  name: 'openzeppelin upgrades',
  does: 'transparent, UUPS and beacon proxies deployed and upgraded, a changed layout refused, a proxy imported',
  nodes: ['anvil', 'geth'],
  // It stores data about a development node's chain in a file per run, and requests `anvil_metadata` for its name.
  development: ['anvil'],
  writes: true,
  async install(folder) {
    const hardhat = ['hardhat@3', '@nomicfoundation/hardhat-ethers@4', '@nomicfoundation/hardhat-verify@3'];
    const contracts = ['@openzeppelin/contracts@5', '@openzeppelin/contracts-upgradeable@5'];
    const packages = ['@openzeppelin/hardhat-upgrades@4', ...hardhat, ...contracts, 'ethers@6', 'solc'];
    return installFromNpm(folder, packages, await installNode22());
  },
  async run(chain, folder) {
    // It stores implementations in `.openzeppelin` to reuse them.
    for (const name of ['cache', 'artifacts', '.openzeppelin', 'contracts', 'scripts'])
      rmSync(join(folder, name), { recursive: true, force: true });
    for (const name of ['contracts', 'scripts']) mkdirSync(join(folder, name));
    writeHardhatConfig(folder, ['@nomicfoundation/hardhat-ethers', '@openzeppelin/hardhat-upgrades']);
    writeFileSync(join(folder, 'contracts/Box.sol'), SOURCE);
    writeFileSync(join(folder, 'scripts/work.ts'), SCRIPT);
    return runHardhat(folder, chain, ['run', 'scripts/work.ts']);
  },
};
