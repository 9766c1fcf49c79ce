import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import type { Schema } from '../../../scripts/openapi/operations.ts'
import { description } from '../../../scripts/openapi/routes.ts'

const document = JSON.parse(JSON.stringify(description)) as Schema

/** Two routes match an address only where an id is `check`, and no id is: ids are UUIDs. */
const rules = {
  'no-ambiguous-paths': 'off',
  // What the rules for OpenAPI of Spectral want beside them.
  'info-contact': 'error',
  'operation-description': 'error',
} as const

const lint = async (source: Schema) =>
  lintFromString({
    source: JSON.stringify(source),
    absoluteRef: 'openapi.json',
    config: await createConfig({ extends: ['recommended-strict'], rules }),
  })

test('the linter finds nothing to say', async () => {
  expect((await lint(document)).map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})

test('the linter would say something', async () => {
  const { servers: _servers, ...without } = document
  expect((await lint(without)).map(({ ruleId }) => ruleId)).toContain('no-empty-servers')
})
