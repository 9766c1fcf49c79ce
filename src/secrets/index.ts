export {
  checkKeys,
  type KeyCheck,
  keyMismatchError,
  openSealed,
  readFailure,
  type SealedColumn,
  type SealedRow,
  type StoredSecret,
  sealFor,
  withKeyCheck,
} from './check-keys.ts'
export { type KeyringSettings, loadKeyring } from './key-file.ts'
export {
  createApiKey,
  createSigningSecret,
  createToken,
  hashToken,
  isApiKey,
  isToken,
  type Keyring,
  openKeyring,
  sealedKeyId,
  secretsEqual,
} from './keyring.ts'
