import { docxToHtml } from '../../../../src/formats/docx.ts'

// Unpacks and reads a Word document beside the page, which ends this where it takes too long.
addEventListener('message', async ({ data }: MessageEvent<ArrayBuffer>) => {
  postMessage(await docxToHtml(new Uint8Array(data)).catch(() => null))
})
