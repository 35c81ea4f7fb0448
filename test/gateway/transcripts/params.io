// what is wrong with a parameter, and where
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["12"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: hex string without 0x prefix"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":[12]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: expected a block number as hex string or a tag, got a number"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 0"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["safe"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: the tag \"safe\" is not supported by this method, use \"finalized\" instead"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleByBlockNumberAndIndex","params":["safe","0x0"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: the tag \"safe\" is not supported by this method, use \"finalized\" instead"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockNumberAndIndex","params":["latest","0x10000000000000000"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: hex number > 64 bits"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockNumberAndIndex","params":["latest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 1"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockNumberAndIndex","params":["0x0000000000000000000000000000000000000000000000000000000000000000","0x0"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: hex number with leading zero digits"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":["0x0"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"too many arguments, want at most 0"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"gas":"5"},"latest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: gas: hex string without 0x prefix"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{},"0x8000000000000000"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: block number larger than int64"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"accessList":[{"address":"0x0000000000000000000000000000000000000001"}]}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: accessList[0].storageKeys: missing value"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{},"latest",{"0x01":{}}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 2: 0x01: hex string has length 2, want 40 for address"}}
// what does not exist is null, not an error
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockReceipts","params":["0x64"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockNumberAndIndex","params":["0x1","0xffffffffffffffff"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getUncleByBlockNumberAndIndex","params":["0x1","0x1"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getTransactionByBlockNumberAndIndex","params":["latest","0x1"]}
<< {"jsonrpc":"2.0","id":1,"result":{"transactionIndex":"0x1"}}
