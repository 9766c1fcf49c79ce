<?php
// Mail of a throw-away site goes nowhere, and says so to nobody.
add_filter('pre_wp_mail', '__return_true');
