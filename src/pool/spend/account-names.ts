/** Returns the name under which the credits of a node are stored. @param name result of `nameUpstream` */
export function nameNodeAccount(network: string, name: string): string {
  return `node/${network}/${name}`;
}

/** Returns the name under which the credits of all nodes of an account (`budget.account`) are stored. */
export function nameSharedAccount(account: string): string {
  return `account/${account}`;
}
