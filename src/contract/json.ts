const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * The value of a body that is JSON in UTF-8, be there a byte order mark before it, as .NET and PowerShell write one. Whoever
 * reads a stored body reads it by this, as it was read when it came: what is understood once must always be.
 *
 * @throws SyntaxError, TypeError where it is neither
 */
export const parseJson = (body: Uint8Array): unknown => JSON.parse(utf8.decode(body))
