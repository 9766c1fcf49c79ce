export { type Keyring, openKeyring } from './keyring.ts'
export { loadKeyring } from './load.ts'
export { createApiKey, createToken, hashToken, isApiKey, sameSecret } from './tokens.ts'
