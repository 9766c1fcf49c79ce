/**
 * Words by which a plugin's refusal is known that has no code of its own: `wp_die` says what it says in the language of
 * the site. These are the languages that most sites have; a site in another one gets the sentence of a server error, which
 * quotes what was said.
 */

/** “You are not authorized”, in other languages than English. */
export const NOT_AUTHORIZED =
  /nicht (autorisiert|berechtigt|befugt|angemeldet|eingeloggt)|pas (autorisé|connecté|identifié)|non autorisé|no (está|estás|tienes|tiene) (autoriza|permiso|conectad|identificad)|no autorizad|non (sei|siete|è) (autorizzat|conness|loggat)|niet (gemachtigd|geautoriseerd|bevoegd|ingelogd|aangemeld)|não (está|tem|possui) (autoriza|permiss|conectad|logad)|nie (masz|jesteś) (uprawnie|autoryzowan|upoważnion|zalogowan)|не (авторизован|имеете прав)|нет прав|(権限|許可)がありません|ログインしていません|(没有|無)权限|沒有權限|未授权|未登[录錄入]/i

/** Publishing, or the featured image without which some plugins let nothing be published. */
export const PUBLISHING =
  /\b(publish|featured image|publier|publié|publication|publicar|publicad|publicación|pubblicar|pubblicat|gepubliceerd|publiceren|opublikowa|publikowa)|veröffentlich|beitragsbild|image (mise en avant|à la une)|imagen destacada|immagine in evidenza|uitgelichte afbeelding|imagem (em |de )?destaca|obrazek wyróżniający|опубликова|публикац|изображение записи|公開|アイキャッチ|发布|發佈|特色(图|圖)/i

/** A site that is closed for a while, by a plugin or its host. */
export const MAINTENANCE =
  /maintenance|wartung|mantenimiento|manutenzione|manutenção|manutencao|onderhoud|konserwacj|przerwa techniczna|обслуживани|технические работы|メンテナンス|维护|維護/i
