/*! Vouchgraph SDK 0.1.0, Apache-2.0. Includes FingerprintJS and BotD, (c) FingerprintJS, Inc, MIT. */
(function(){document.title})();
