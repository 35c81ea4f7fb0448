// accounts at a block
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x7435","latest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: hex string has length 4, want 40 for address"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","0x64"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","latest",1]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"too many arguments, want at most 2"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","0x01"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: hex number with leading zero digits"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 1"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f",7]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: expected a string, got a number"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","0xasdf","latest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid hex in storage key: \"0xasdf\""}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","0x00000000000000000000000000000000000000000000000000000000000000000"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"storage key too long (want at most 32 bytes): \"0x00000000000000000000000000000000000000000000000000000000000000000\""}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageValues","params":[{}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"empty request"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageValues","params":[{"0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f":[]}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"empty request"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageValues","params":[{"0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f":["0x1"]}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: 0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f[0]: hex string of odd length"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageValues","params":[{"0x7435":["0x0000000000000000000000000000000000000000000000000000000000000000"]}]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 0: 0x7435: hex string has length 4, want 40 for address"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"missing value for required argument 1"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f",["0xzz"]]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid hex in storage key: \"0xzz\""}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getProof","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f",[1]]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid argument 1: [0]: expected a string or null, got a number"}}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","pending"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x10"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x6001"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000000"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","0X1",{"blockNumber":"0x1"}]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000001"}
>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f","0xasdf","0x64"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"header not found"}}
