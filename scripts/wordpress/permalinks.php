<?php
// php permalinks.php ROOT yes|no: gives the WordPress in ROOT plain permalinks, or those made of a post's name.
[, $root, $plain] = $argv;
$_SERVER['HTTP_HOST'] = '127.0.0.1';
require $root . '/wp-load.php';

global $wp_rewrite;
update_option('permalink_structure', $plain === 'yes' ? '' : '/%postname%/');
$wp_rewrite->init();
flush_rewrite_rules(false);
