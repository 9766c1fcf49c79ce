export { distrusting, type Fitness, fitnessOf, type StoredSecret, unfit } from './fitness.ts'
export { isBound, type Keyring, openKeyring } from './keyring.ts'
export { loadKeyring } from './load.ts'
export { createApiKey, createToken, hashToken, isApiKey, isToken, sameSecret } from './tokens.ts'
