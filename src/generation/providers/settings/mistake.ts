/** Something wrong with the settings: where, and what. Never a value, which may be a secret. */
export interface Mistake {
  path: string
  message: string
}
