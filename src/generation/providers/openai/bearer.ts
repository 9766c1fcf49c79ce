import type { Access } from '../access.ts'

/** The header that carries the key, where there is one. */
export const bearer = ({ key }: Pick<Access, 'key'>): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key()}` }
