import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { migratedSchemaFile, schemaDifferences, schemaFile } from '../../scripts/schema-differences.ts'
import { makeHome } from '../support/database/data-folder.ts'

test('every change of schema.prisma has its migration', async () => {
  expect(await schemaDifferences(migratedSchemaFile, schemaFile)).toBeUndefined()
})

test('a new column is written as the SQL that adds it', async () => {
  const folder = await makeHome()
  const changed = join(folder, 'schema.prisma')
  const schema = await readFile(schemaFile, 'utf8')
  await writeFile(changed, schema.replace('@@map("account")', 'motto String?\n  @@map("account")'))
  const sql = await schemaDifferences(schemaFile, changed)
  await rm(folder, { recursive: true })
  expect(sql).toContain('ALTER TABLE "account" ADD COLUMN     "motto" TEXT;')
})
