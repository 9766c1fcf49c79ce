import type { DocumentRequest } from '../../../src/contract/generation/requests.ts'
import type { DocumentResult } from '../../../src/contract/generation/results.ts'
import { assembleDocument } from '../../../src/generation/pipeline/document.ts'
import { type WrittenDocument, writeText } from '../../../src/generation/pipeline/text/write-text.ts'
import type { Source } from '../../../src/generation/pipeline/types.ts'
import type { TextProvider } from '../../../src/generation/providers/types.ts'
import { type MemoryRun, memoryRun } from './memory-run.ts'
import { providersOf } from './providers-of.ts'

/** What a writer makes of a request, with pictures that lie where Galley would serve them. */
export async function writeDocument(
  request: DocumentRequest,
  writer: TextProvider,
  { sources = [], parts }: { sources?: Source[]; parts?: MemoryRun['parts'] } = {},
): Promise<{ document: DocumentResult; text: WrittenDocument; run: MemoryRun }> {
  const run = memoryRun(request, parts)
  const text = await writeText(run, { providers: providersOf({ text: writer }) }, { sources })
  const pictures = text.pictures.map(({ name, alt }) => [
    name,
    { url: `https://galley.example/files/${name}.jpg`, alt, width: 1536, height: 1024 },
  ])
  return { document: assembleDocument(text, Object.fromEntries(pictures)), text, run }
}
