<?php
// WP_HOME and WP_SITEURL are set from outside; without keys and salts, WordPress makes random ones.
define('DB_NAME', 'wordpress');
define('WP_ENVIRONMENT_TYPE', 'local'); // application passwords without TLS
define('DISABLE_WP_CRON', true);        // it calls the site itself, which serves one request at a time
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('DISALLOW_FILE_MODS', true);     // several runs share these files
// a test writes this file to make the site a multisite network
if (is_file(__DIR__ . '/wp-content/database/network.php')) require __DIR__ . '/wp-content/database/network.php';
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
