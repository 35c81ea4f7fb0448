// lists of what blocks accessed: null or an error where there is no block, an error before Amsterdam and for what is not kept
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockAccessList","params":["latest"]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockAccessList","params":["0xdededededededededededededededededededededededededededededededede"]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockAccessList","params":[{"blockNumber":"0x3"}]}
<< {"jsonrpc":"2.0","id":1,"result":[]}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockAccessList","params":["0x64"]}
<< {"jsonrpc":"2.0","id":1,"result":null}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockAccessList","params":["0x1"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Resource not found"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockAccessList","params":["0x2"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":4444,"message":"pruned history unavailable"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBlockAccessList","params":[]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 0"}}
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawBlockAccessList","params":["latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0xc0"}
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawBlockAccessList","params":["0x64"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Resource not found"}}
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawBlockAccessList","params":["0x1"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Resource not found"}}
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawBlockAccessList","params":["0x2"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":4444,"message":"pruned history unavailable"}}
>> {"jsonrpc":"2.0","id":1,"method":"debug_getRawBlockAccessList","params":["0xg"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: invalid hex string"}}
